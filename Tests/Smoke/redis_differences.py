# SPDX-License-Identifier: MIT
"""The differences between the key-value server and Redis 7.0, with reasons. Docs/KeyValueServer.md shows this list."""
from dataclasses import dataclass


@dataclass
class Difference:
    what: str
    why: str
    sent: bytes
    # Regular expressions for everything received, including the reply to QUIT.
    ours: bytes
    redis: bytes


OK = rb"\+OK\r\n"

DIFFERENCES = [
    Difference("`HELLO 3` is refused", "the server does not speak RESP3", b"HELLO 3\r\n",
               rb"-NOPROTO unsupported protocol version\r\n" + OK, rb"%7\r\n.*" + OK),
    Difference("`CLIENT SETINFO` is accepted", "client libraries send it since Redis 7.2", b"CLIENT SETINFO lib-name x\r\n",
               OK + OK, rb"-ERR unknown subcommand 'SETINFO'\. Try CLIENT HELP\.\r\n" + OK),
    Difference("`COMMAND DOCS` is empty", "there are no pages to show", b"COMMAND DOCS get\r\n", rb"\*0\r\n" + OK, rb"\*2\r\n.*" + OK),
    Difference("there are no other commands than those above", "this is an example", b"LPUSH a b\r\n",
               rb"-ERR unknown command 'LPUSH', with args beginning with: 'a' 'b' \r\n" + OK, rb":\d+\r\n" + OK),
    Difference("`CONFIG`, `CLIENT`, `COMMAND` have no other subcommands", "this is an example", b"CONFIG RESETSTAT\r\n",
               rb"-ERR unknown subcommand 'RESETSTAT'\. Try CONFIG HELP\.\r\n" + OK, OK + OK),
    Difference("a request has at most `--max-arguments` words, and all of them `--max-request` bytes",
               "memory is bounded; Redis takes 2^31 words of 512 MB", b"*1048577\r\n",
               rb"-ERR Protocol error: invalid multibulk length\r\n", rb"-ERR Protocol error: expected '\$', got '\*'\r\n"),
    Difference("a line ends with its line end, whatever is in it", "Redis looks for it only up to the first NUL byte, and waits",
               b"ECHO \0\r\n", rb"\$1\r\n\0\r\n" + OK, rb"no reply for two seconds"),
]
