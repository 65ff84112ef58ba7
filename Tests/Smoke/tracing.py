#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Decodes the spans of a test with opentelemetry-proto, and checks that each trace is one tree.

The arguments are the command that runs the test. The test sends its requests to OTLP_COLLECTOR too.
"""
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import python_packages
from server import ROOT

TRACES = 8


def load():
    """Loads the library, which is installed into a folder of the build."""
    for folder in (python_packages.environment("opentelemetry", "opentelemetry-proto") / "lib").glob("python3*/site-packages"):
        sys.path.insert(0, str(folder))


def tree(spans, parent=b""):
    """The names of the spans below a parent, as text."""
    names = []
    for span in spans:
        if span.parent_span_id == parent:
            inner = tree(spans, span.span_id)
            names.append(f"{span.name}({inner})" if inner else span.name)
    return ",".join(sorted(names))


def main():
    load()
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    received, failures = [], []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                received.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
            except Exception as error:
                failures.append(f"a request of {len(body)} bytes is malformed: {error}")
                self.send_response(400)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, OTLP_COLLECTOR=f"http://127.0.0.1:{server.server_port}/v1/traces")
    done = subprocess.run(sys.argv[1:], cwd=ROOT, env=environment)
    if done.returncode != 0:
        sys.exit(f"the test has failed with {done.returncode}")
    traces = {}
    for request in received:
        for resource in request.resource_spans:
            names = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
            if names.get("service.name") != "test":
                failures.append(f"the resource is {names}")
            for scope in resource.scope_spans:
                for span in scope.spans:
                    if not 0 < span.start_time_unix_nano <= span.end_time_unix_nano:
                        failures.append(f"{span.name} lasts from {span.start_time_unix_nano} to {span.end_time_unix_nano}")
                    traces.setdefault(span.trace_id, []).append(span)
    for spans in traces.values():
        if tree(spans) != "GET(GET(double request(answer),lookup,reply))":
            failures.append(f"a trace is {tree(spans)}")
    # The test runs on each loop of the build.
    if not traces or len(traces) % TRACES:
        failures.append(f"{len(traces)} traces have arrived")
    for failure in failures:
        print(f"tracing: {failure}", file=sys.stderr)
    print(f"{len(traces) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
