// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveHTTP
    import ReactiveSockets

    /// The page: one file, without scripts of others.
    enum Page {
        static func respond(to request: HTTPRequestMessage) -> HTTPResponseMessage {
            guard request.head.method == .get || request.head.method == .head else {
                return .response(.methodNotAllowed)
            }
            var response = HTTPResponseMessage.ok(Bytes(html), type: "text/html; charset=utf-8")
            response.head.headerFields[.contentSecurityPolicy] =
                "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            return response
        }

        private static let html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>WebChat</title>
            <style>
              :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
              body { margin: 0 auto; max-width: 42rem; height: 100vh; display: flex; flex-direction: column; }
              header { display: flex; justify-content: space-between; padding: 1rem; border-bottom: 1px solid #8886; }
              #lines { flex: 1; overflow-y: auto; padding: 1rem; }
              #lines b { margin-right: .6em; color: #2a7ae2; }
              #lines .note { color: #888; font-style: italic; }
              form { display: flex; gap: .5rem; padding: 1rem; border-top: 1px solid #8886; }
              input { flex: 1; min-width: 0; font: inherit; padding: .4rem .6rem; }
              button { font: inherit; padding: .4rem 1rem; }
            </style>
            <header><strong>WebChat</strong><span>room <b id="room"></b>, <b id="members">?</b> online</span></header>
            <main id="lines"></main>
            <form id="form"><input id="text" maxlength="500" autocomplete="off" autofocus placeholder="Say something">
            <button>Send</button></form>
            <script>
              "use strict";
              const query = new URLSearchParams(location.search);
              const room = query.get("room") || "lobby";
              const name = query.get("name") || "guest-" + Math.floor(Math.random() * 10000);
              const find = id => document.getElementById(id);
              find("room").textContent = room;

              function show(who, text) {
                const line = document.createElement("div");
                if (who) line.append(Object.assign(document.createElement("b"), { textContent: who }));
                else line.className = "note";
                line.append(text);
                const lines = find("lines");
                lines.append(line);
                while (lines.childElementCount > 500) lines.firstChild.remove();
                lines.scrollTop = lines.scrollHeight;
              }

              let socket, delay = 500;
              function connect() {
                const parameters = new URLSearchParams({ room, name });
                socket = new WebSocket(location.origin.replace("http", "ws") + "/chat?" + parameters);
                socket.onopen = () => { delay = 500; show("", "You are in the room as " + name + "."); };
                socket.onmessage = event => {
                  const end = event.data.indexOf("\\n");
                  show(event.data.slice(0, end), event.data.slice(end + 1));
                };
                socket.onclose = () => {
                  show("", "The connection is lost.");
                  setTimeout(connect, delay);
                  delay = Math.min(delay * 2, 10000);
                };
              }
              connect();

              // The browser connects again by itself.
              const events = new EventSource("/events");
              events.addEventListener("members", event => { find("members").textContent = event.data; });
              events.onerror = () => { find("members").textContent = "?"; };

              find("form").onsubmit = event => {
                event.preventDefault();
                const text = find("text").value;
                if (text && socket.readyState === WebSocket.OPEN) { socket.send(text); find("text").value = ""; }
              };
            </script>
            </html>

            """
    }
#endif
