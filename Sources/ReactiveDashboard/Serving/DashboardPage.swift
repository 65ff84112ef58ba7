// SPDX-License-Identifier: MIT
#if HTTP
    /// The page: one file, without scripts of other parties. It inserts all data as text, never as HTML.
    enum DashboardPage {
        /// The page. `NONCE` stands for a random number in each response.
        static let html = #"""
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Dashboard</title>
            <style nonce="NONCE">
            :root { color-scheme: light dark; --edge: #8886; --warn: #d33; --good: #2a7; }
            body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem 2rem; max-width: 90rem; }
            h1 { font-size: 1.2rem; margin: 0; } h2 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
            header { display: flex; gap: 1rem; align-items: baseline; }
            #state { color: var(--warn); } #state.open { color: var(--good); }
            table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
            th, td { text-align: left; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid var(--edge); }
            th { font-weight: 600; } td.n, th.n { text-align: right; }
            code, .mono { font-family: ui-monospace, monospace; font-size: 12px; overflow-wrap: anywhere; }
            .warn { color: var(--warn); font-weight: 600; } .dim { opacity: .6; }
            svg { display: block; } rect { fill: #48c; } ul { margin: 0; padding-left: 1.2rem; }
            .node { border-left: 2px solid var(--edge); padding: .1rem .5rem; } .node.paused { border-color: var(--warn); }
            </style>
            <header><h1>Dashboard</h1><span id="state">not connected</span><span id="pages" class="dim"></span></header>
            <h2>Problems</h2><ul id="problems"></ul>
            <h2>Loops</h2><table id="loops"></table>
            <h2>Signals <span id="counts" class="dim"></span></h2><div id="graph"></div>
            <h2>Connections</h2><div id="servers"></div>
            <script nonce="NONCE">
            "use strict";
            const at = id => document.getElementById(id);
            // All data is inserted as text: names come from the program and from peers.
            const make = (tag, text, kind) => {
                const element = document.createElement(tag);
                if (text !== undefined && text !== null) element.textContent = text;
                if (kind) element.className = kind;
                return element;
            };
            const bytes = n => n < 1024 ? n + " B" : n < 1048576 ? (n / 1024).toFixed(1) + " KiB"
                : (n / 1048576).toFixed(1) + " MiB";
            const time = s => s < 0.001 ? (s * 1e6).toFixed(0) + " µs" : s < 1 ? (s * 1000).toFixed(1) + " ms"
                : s < 120 ? s.toFixed(1) + " s" : (s / 60).toFixed(0) + " min";
            const rate = r => r === null ? "" : (r >= 10 ? r.toFixed(0) : r.toFixed(1)) + "/s";
            const row = (cells, head) => {
                const line = make("tr");
                for (const cell of cells) {
                    if (cell instanceof Node) { const td = make("td"); td.append(cell); line.append(td); continue; }
                    const [text, kind] = Array.isArray(cell) ? cell : [cell, ""];
                    line.append(make(head ? "th" : "td", text, kind));
                }
                return line;
            };
            const last = [];
            // The turns since the previous snapshot, as bars.
            const histogram = (loop, index, bounds) => {
                if (!loop.lengths) return make("span", "", "dim");
                const before = last[index] || loop.lengths.counts.map(() => 0);
                last[index] = loop.lengths.counts;
                const counts = loop.lengths.counts.map((n, i) => Math.max(0, n - before[i]));
                const most = Math.max(1, ...counts);
                const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
                svg.setAttribute("width", 12 * counts.length); svg.setAttribute("height", 30);
                counts.forEach((n, i) => {
                    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
                    const height = n ? Math.max(2, 28 * Math.log1p(n) / Math.log1p(most)) : 0;
                    bar.setAttribute("x", 12 * i); bar.setAttribute("width", 10);
                    bar.setAttribute("y", 30 - height); bar.setAttribute("height", height);
                    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
                    title.textContent = n + (i < bounds.length ? " up to " + time(bounds[i] / 1e9)
                        : " over " + time(bounds[bounds.length - 1] / 1e9));
                    bar.append(title); svg.append(bar);
                });
                return svg;
            };
            const showLoops = data => {
                const head = ["name", ["lag", "n"], ["turns", "n"], ["longest turn", "n"], ["timers", "n"],
                    ["descriptors", "n"], ["jobs", "n"], "lengths of turns in the last second (1 µs to 1 s and more)"];
                at("loops").replaceChildren(row(head, true), ...data.loops.map((loop, index) => row([
                    loop.disposed ? [loop.name + " (disposed)", "dim"] : loop.name,
                    [loop.responding ? time(loop.lag) : "no answer for " + time(loop.lag),
                        loop.lag > 0.1 ? "n warn" : "n"],
                    [loop.turns, "n"], [loop.lengths ? time(loop.lengths.longest) : "", "n"], [loop.timers, "n"],
                    [loop.descriptors, "n"], [loop.work, "n"], histogram(loop, index, data.boundsInNanoseconds)])));
            };
            const showGraph = data => {
                at("counts").textContent = data.graph.count + " subscriptions, " + data.graph.paused + " paused, "
                    + data.graph.waiting + " values wait"
                    + (data.graph.nodes.length < data.graph.count ? ", " + data.graph.nodes.length + " shown" : "");
                const depth = new Map();
                at("graph").replaceChildren(...data.graph.nodes.map(node => {
                    depth.set(node.number, (depth.has(node.parent) ? depth.get(node.parent) : -1) + 1);
                    const line = make("div", null, node.paused ? "node paused" : "node");
                    line.style.marginLeft = 1.5 * Math.min(12, depth.get(node.number)) + "rem";
                    line.append(make("span", "#" + node.number + " " + node.name + " "));
                    line.append(make("code", node.location, "dim"));
                    if (node.values !== null) line.append(make("span", " " + node.values + " values "
                        + rate(node.rate)));
                    if (node.waiting) line.append(make("span", " " + node.waiting + " wait", "warn"));
                    for (const stage of node.stages) line.append(make("div", "← " + stage.name + " "
                        + stage.values + " values " + rate(stage.rate)));
                    if (node.paused) {
                        const causes = node.causes.map(c => "#" + c.number + " " + c.name + " at "
                            + (c.location || "an unknown place") + ": " + c.reason);
                        line.append(make("div", "paused" + (node.pausedFor === null ? "" : " for "
                            + time(node.pausedFor)) + (causes.length ? " by " + causes.join("; ") : ""), "warn"));
                    }
                    return line;
                }));
            };
            const showServers = data => at("servers").replaceChildren(...data.servers.flatMap(server => {
                const table = make("table");
                table.append(row(["peer", "loop", ["age", "n"], ["received", "n"], ["sent", "n"], ["waiting", "n"],
                    "back-pressure"], true), ...server.connections.map(c => row([c.peer, c.loop, [time(c.age), "n"],
                    [bytes(c.received), "n"], [bytes(c.sent), "n"], [bytes(c.waiting), c.full ? "n warn" : "n"],
                    [[c.full ? "the peer reads slowly" : "", c.receivingPaused ? "the service has paused" : ""]
                        .filter(t => t).join(", "), "warn"]])));
                return [make("div", server.name + " on " + server.address + ": " + server.count + " open, "
                    + server.accepted + " accepted, " + server.failed + " failed, " + server.refused + " refused"
                    + (server.connections.length < server.count ? ", " + server.connections.length + " shown" : "")),
                    table];
            }));
            const show = data => {
                at("pages").textContent = data.pages === 1 ? "" : data.pages + " pages are open";
                at("problems").replaceChildren(...(data.problems.length
                    ? data.problems.map(p => make("li", p.text, "warn")) : [make("li", "none", "dim")]));
                showLoops(data); showGraph(data); showServers(data);
            };
            const connect = () => {
                const socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host
                    + "/live");
                socket.onopen = () => { at("state").textContent = "live"; at("state").className = "open"; };
                socket.onmessage = event => show(JSON.parse(event.data));
                socket.onclose = () => {
                    at("state").textContent = "not connected"; at("state").className = "";
                    setTimeout(connect, 2000);
                };
            };
            connect();
            </script>
            </html>
            """#
    }
#endif
