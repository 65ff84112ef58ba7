// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore

    extension DashboardSnapshot {
        /// The snapshot as JSON. Times are in seconds.
        package var json: String {
            var json = JSONText()
            json.object { json in
                json.key("pages")
                json.number(pages)
                json.key("boundsInNanoseconds")
                json.array(TurnLengths.bounds) { $0.number($1) }
                json.key("loops")
                json.array(loops) { json, loop in loop.write(&json) }
                json.key("servers")
                json.array(servers) { json, server in server.write(&json) }
                json.key("graph")
                graph.write(&json)
                json.key("problems")
                json.array(problems) { json, problem in
                    json.object { json in
                        json.member("kind", problem.kind.rawValue)
                        json.member("text", problem.text)
                    }
                }
            }
            return json.text
        }
    }

    extension JSONText {
        fileprivate mutating func member(_ name: String, _ value: String?) {
            key(name)
            string(value)
        }

        fileprivate mutating func member(_ name: String, _ value: Int?) {
            key(name)
            number(value)
        }

        fileprivate mutating func member(_ name: String, _ value: Double?) {
            key(name)
            number(value)
        }

        fileprivate mutating func member(_ name: String, _ value: Bool) {
            key(name)
            bool(value)
        }
    }

    extension DashboardSnapshot.LoopView {
        fileprivate func write(_ json: inout JSONText) {
            json.object { json in
                json.member("name", name)
                json.member("lag", lag)
                json.member("responding", isResponding)
                json.member("disposed", isDisposed)
                json.member("timers", timers)
                json.member("descriptors", watches)
                json.member("signalHandlers", signalHandlers)
                json.member("work", work)
                json.key("turns")
                json.number(turns)
                json.key("lengths")
                guard let lengths else { return json.string(nil) }
                json.object { json in
                    json.key("counts")
                    json.array(lengths.counts) { $0.number($1) }
                    json.member("sum", lengths.sum)
                    json.member("longest", lengths.longest)
                }
            }
        }
    }

    extension DashboardSnapshot.ServerView {
        fileprivate func write(_ json: inout JSONText) {
            json.object { json in
                json.member("name", name)
                json.member("address", address)
                json.member("count", count)
                json.member("accepted", accepted)
                json.member("ended", ended)
                json.member("failed", failed)
                json.member("refused", refused)
                json.member("received", received)
                json.member("sent", sent)
                json.key("connections")
                json.array(connections) { json, connection in
                    json.object { json in
                        json.key("id")
                        json.number(connection.id)
                        json.member("peer", connection.peer)
                        json.member("loop", connection.loop)
                        json.member("age", connection.age)
                        json.member("received", connection.received)
                        json.member("sent", connection.sent)
                        json.member("waiting", connection.waiting)
                        json.member("full", connection.isFull)
                        json.member("receivingPaused", connection.isReceivingPaused)
                    }
                }
            }
        }
    }

    extension DashboardSnapshot.GraphView {
        fileprivate func write(_ json: inout JSONText) {
            json.object { json in
                json.member("count", count)
                json.member("paused", paused)
                json.member("waiting", waiting)
                json.key("nodes")
                json.array(nodes) { json, node in node.write(&json) }
            }
        }
    }

    extension DashboardSnapshot.NodeView {
        fileprivate func write(_ json: inout JSONText) {
            json.object { json in
                json.member("number", number)
                json.member("name", name)
                json.member("location", location)
                json.member("parent", parent)
                json.member("paused", isPaused)
                json.member("waiting", waiting)
                json.member("values", values)
                json.member("rate", rate)
                json.key("stages")
                json.array(stages) { json, stage in
                    json.object { json in
                        json.member("name", stage.name)
                        json.member("location", stage.location)
                        json.member("values", stage.values)
                        json.member("rate", stage.rate)
                    }
                }
                json.member("pausedFor", pausedFor)
                json.key("causes")
                json.array(causes) { json, cause in
                    json.object { json in
                        json.member("number", cause.number)
                        json.member("name", cause.name)
                        json.member("location", cause.location)
                        json.member("reason", cause.reason)
                    }
                }
            }
        }
    }
#endif
