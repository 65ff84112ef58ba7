# SPDX-License-Identifier: MIT
"""Random pipelines of the commands that the key-value server implements, with and without errors."""

KEYS = [b"a", b"b", b"c", b"long key", b"", b"k\0", b"\0k", b"\xff\xfe", b"n"]
NUMBERS = [
    b"0", b"1", b"-1", b"2", b"10", b"100", b"1000", b"100000", b"-100", b"9223372036854775807", b"-9223372036854775808",
    b"9223372036854775808", b"-9223372036854775809", b"9223372036854775", b"9223372036854775000", b"9223372036", b"9223372037",
    b"400000000000", b"2147483647", b"2147483648", b"-2147483648", b"-2147483649", b"4294967296", b"01", b"+1", b"-0", b"", b" 1",
    b"1 ", b"1.5", b"1e3", b"x", b"\x001", b"1\0", b"0x10", b"99999999999999999999999",
]
WORDS = [b"", b"x", b"value", b"a b", b"\0", b"\r\n", b"a\nb", b"'", b'"', b"\\", b"\xff" * 3, b"y" * 200, b"%s%n", b"z" * 10000]
TIMES = [b"60000", b"3000000", b"100000", b"200000", b"10000000000", b"9223372036854", b"9223372036854775", b"0", b"-1", b"-5"]
CHANNELS = [b"news", b"*", b"n*", b"n?ws", b"", b"[a-n]ews", b"\0", b"other"]
PATTERNS = [b"*", b"a*", b"?", b"[a-c]", b"[^a]", b"", b"\\a", b"l*y", b"k\0*", b"[", b"[a", b"a[", b"\\", b"[c-a]", b"**", b"[]a]", b"[^]"]


def encode(words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def spoil(pick, word, is_name=False):
    """Changes the case, inserts NUL bytes, or replaces the word."""
    change = pick.randrange(12)
    # Redis accepts a command name that continues after a NUL byte, but only if two hashes collide.
    if is_name and change == 1:
        change = 0
    if change == 0:
        return b"\0" + word
    if change == 1:
        return word + b"\0" + pick.choice([b"", b"x"])
    if change == 2:
        return word[:1] + b"\0" + word[1:]
    if change == 3:
        return pick.choice(WORDS)
    if change in (4, 5):
        return word.upper()
    if change == 6:
        return word.capitalize()
    return word


def number(pick):
    return str(pick.randint(-1000, 1000)).encode() if pick.randrange(3) == 0 else pick.choice(NUMBERS)


def value(pick):
    return number(pick) if pick.randrange(2) else pick.choice(WORDS)


def later(word):
    """A time that does not expire while two servers are compared."""
    return b"60000" if word.isdigit() and 0 < int(word) < 60000 and not word.startswith(b"0") else word


def set_options(pick):
    options = []
    for _ in range(pick.choice([0, 0, 1, 1, 2, 2, 3, 4])):
        option = pick.choice([b"nx", b"xx", b"get", b"keepttl", b"ex", b"px", b"exat", b"pxat", b"what"])
        options.append(spoil(pick, option))
        if option in (b"ex", b"px") and pick.randrange(6):
            options.append(later(pick.choice(TIMES + [number(pick)])))
        if option in (b"exat", b"pxat") and pick.randrange(6):
            # No time in the past: Redis removes such a key from DBSIZE at an unspecified moment.
            ahead = b"99999999999" if option == b"exat" else b"99999999999999"
            options.append(pick.choice([ahead, b"0", b"-1", b"x", b"9223372036854775807", b"-9223372036854775808"]))
    return options


def expire_options(pick):
    return [spoil(pick, pick.choice([b"nx", b"xx", b"gt", b"lt", b"what"])) for _ in range(pick.choice([0, 0, 1, 1, 2, 3]))]


def hello(pick):
    words = [b"hello"]
    if pick.randrange(4):
        words.append(pick.choice([b"2", b"2", b"2", b"1", b"4", b"0", b"-1", b"x", b"", b"2\0", b"02", b"99999999999999999999"]))
    for _ in range(pick.choice([0, 0, 1, 1, 2])):
        option = pick.choice([b"auth", b"auth", b"setname", b"what"])
        words.append(spoil(pick, option))
        if option == b"auth":
            words += pick.choice([[b"default", b"x"], [b"default", b""], [b"somebody", b"x"], [b"default"], [], [b"", b""]])
        elif option == b"setname":
            words += pick.choice([[b"me"], [b"a b"], [b""], [], [b"\xff"], [b"me\0"]])
    return words


def client(pick):
    return pick.choice([
        [b"client", b"getname"], [b"client", b"setname", pick.choice([b"me", b"", b"a b", b"a\nb", b"\xff", b"x\0"])],
        [b"client", spoil(pick, b"getname", True), b"x"], [b"client", spoil(pick, b"setname", True)], [b"client"], [b"client", b"id", b"x"],
        [b"client", spoil(pick, b"nothing", True), b"x"], [b"client", b"info", b"x"], [b"client", b"no\r\nthing" + b"y" * 150],
    ])


def bogus(pick):
    return [spoil(pick, pick.choice([b"nothing", b"", b"g", b"gets", b"x" * 200, b"a\r\nb", b"*1", b"$1"]), True),
            *[pick.choice(WORDS + KEYS) for _ in range(pick.randrange(4))]]


def command(pick):
    """A random request, as words."""
    key = lambda: pick.choice(KEYS)
    some = lambda: [key() for _ in range(pick.randint(1, 4))]
    kind = pick.randrange(30)
    if kind < 5:
        words = [b"set", key(), value(pick), *set_options(pick)]
    elif kind < 8:
        words = [b"get", key()]
    elif kind < 10:
        words = [b"mget", *some()]
    elif kind == 10:
        words = [b"mset", *[word for _ in range(pick.randint(1, 3)) for word in (key(), value(pick))]]
    elif kind < 14:
        words = [pick.choice([b"incrby", b"decrby"]), key(), number(pick)]
    elif kind == 14:
        words = [pick.choice([b"incr", b"decr"]), key()]
    elif kind < 18:
        words = [pick.choice([b"expire", b"pexpire"]), key(), later(pick.choice([number(pick), pick.choice(TIMES)])), *expire_options(pick)]
    elif kind == 18:
        words = [pick.choice([b"ttl", b"pttl", b"persist"]), key()]
    elif kind == 19:
        words = [pick.choice([b"ttl", b"pttl", b"persist"]), key()]
    elif kind == 20:
        words = [pick.choice([b"del", b"exists"]), *some()]
    elif kind == 21:
        words = pick.choice([[b"keys", pick.choice(PATTERNS)], [b"dbsize"]])
    elif kind == 22:
        words = [pick.choice([b"flushall", b"flushdb"]), *[spoil(pick, pick.choice([b"sync", b"async", b"what"])) for _ in range(pick.randrange(3))]]
    elif kind == 23:
        words = pick.choice([[b"ping"], [b"ping", pick.choice(WORDS)], [b"echo", pick.choice(WORDS)], [b"ping", b"a", b"b"]])
    elif kind == 24:
        words = [b"select", pick.choice([b"0", b"1", number(pick)])]
    elif kind == 25:
        words = hello(pick)
    elif kind == 26:
        words = client(pick)
    elif kind == 27:
        return bogus(pick)
    elif kind == 28:
        words = pick.choice([[b"publish", pick.choice(CHANNELS), value(pick)], [b"unsubscribe"], [b"punsubscribe", b"x*"], [b"reset"]])
    else:
        words = pick.choice([[b"config", spoil(pick, b"get", True)], [b"config", b"get", b"nothing"], [b"command", b"nothing"],
                             [b"command", b"info", b"nothing"], [b"config"], [b"command", b"count", b"x"]])
    # Replies that describe the server itself are not compared.
    describes = words[0] == b"command" or words[1:2] in ([b"id"], [b"info"])
    # Wrong numbers of words, and slightly wrong names.
    change = pick.randrange(20)
    if change == 0 and len(words) > 1 and not describes:
        words = words[:-1]
    elif change == 1:
        words = words + [pick.choice(WORDS)]
    elif change == 2 and words[0] != b"command":
        words = words[:1]
    words[0] = spoil(pick, words[0], True) if pick.randrange(8) == 0 else pick.choice([words[0], words[0].upper()])
    return words


def quoted(pick, word):
    """A word as an inline request contains it."""
    if word and all(33 <= byte < 127 and byte not in b"\"'\\" for byte in word) and pick.randrange(2):
        return word
    # Redis searches the end of a line only up to the first unescaped NUL byte.
    if b"\0" not in word and pick.randrange(3) == 0:
        return b"'" + word.replace(b"\\'", b"\\\\'").replace(b"'", b"\\'").replace(b"\n", b"n") + b"'"
    text = b"".join(b"\\x%02x" % byte if not 32 <= byte < 127 or byte in b"\"\\" or pick.randrange(9) == 0 else bytes([byte])
                    for byte in word)
    return b'"' + text + b'"'


def request(pick, words):
    if pick.randrange(8) == 0 and words[0][:1] not in (b"*", b""):
        line = pick.choice([b"", b" "]) + pick.choice([b" ", b"  ", b"\t"]).join(quoted(pick, word) for word in words)
        return line + pick.choice([b"\r\n", b"\n", b" \r\n"])
    return encode(words)


BROKEN = [
    b"*x\r\n", b"*1\r\n!1\r\n", b"*1\r\n$x\r\n", b"*1\r\n$-1\r\n", b"*1\r\n$-2\r\n", b"*1\r\n$536870913\r\n", b"*1\r\n$1\r\nab\r\nget a\r\n",
    b'get "a\r\n', b"get 'a\r\n", b'get "a"b\r\n', b"get 'a'b\r\n", b"*-2147483649\r\n", b"*9223372036854775808\r\n", b"*2147483648\r\n",
    b"*1\r\n\n\r\n", b"*01\r\n", b"*1\r\n$01\r\n", b"*+1\r\n", b"* 1\r\n", b"*1 \r\n", b"*1\r\n$4 \r\n", b"*\r\n", b"*1\r\n$\r\n",
    b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n", b"*1\r\n$9223372036854775808\r\n",
]


# Requests of HTTP, and words that only look like them. The requests end the connection.
HTTP = [
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nset a hack\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n\r\nset a hack\r\n",
    b"PUT /a HTTP/1.1\r\nUser-Agent: x\r\nhOsT: a\r\n\r\nset a hack\r\n", b"HEAD / HTTP/1.0\r\n\r\n", b"OPTIONS * HTTP/1.1\r\n\r\n",
    b"post\r\nset a hack\r\n", b" PoSt x\r\n", b'"po\\x73t"\r\n', b"host: x\r\nset a hack\r\n", b"HOST:\r\n", b"Host:a\r\n", b"Host : a\r\n",
    b"posts\r\n", b"host\r\n", b'POST "\r\n', b"*1\r\n$4\r\npost\r\n*x\r\n", b"quit\r\npost\r\n", b"post\r\nquit\r\n",
    *(encode(words) for words in (
        [b"post"], [b"Host:", b"a"], [b"post", b"/", b"HTTP/1.1"], [b"post\0x"], [b"\0post"], [b"po\0st"], [b"host:\0"], [b"xpost"], [b"post "])),
]


def http(pick):
    """A connection that sends a request of HTTP. The commands before it are short, because Redis drops the replies of one read."""
    before = [[b"ping"], [b"get", b"a"], [b"incr", b"n"], [b"subscribe", b"news"], [b"monitor"], [b"client", b"getname"], [b"nothing"]]
    words = [pick.choice(before) for _ in range(pick.choice([0, 0, 1, 2]))]
    steps = [(0, pipeline(pick))] if pick.randrange(3) == 0 else []
    return [*steps, (0, [b"".join(map(encode, words)) + pick.choice(HTTP)]), (1, [encode([b"mget", b"a", b"n"])])]


def pipeline(pick):
    """The bytes of some requests, split at random."""
    data = b"".join(request(pick, command(pick)) for _ in range(pick.randint(1, 12)))
    if pick.randrange(15) == 0:
        data = pick.choice([b"\r\n", b"*0\r\n", b"*-1\r\n", b"\n", b"*-10\r\n", b" \r\n"]) + data
    cuts = sorted(pick.randrange(len(data) + 1) for _ in range(pick.choice([0, 0, 0, 1, 2])))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)])]


def subscriptions(pick):
    name = pick.choice([b"subscribe", b"psubscribe", b"unsubscribe", b"punsubscribe"])
    channels = [pick.choice(CHANNELS) for _ in range(pick.randrange(4))]
    return [name, *channels]


def program(pick):
    """The steps of a program: which connection sends which bytes."""
    kind = pick.randrange(11)
    if kind == 10:
        return http(pick)
    if kind < 6:
        steps = [(0, pipeline(pick)) for _ in range(pick.randint(1, 3))]
        if pick.randrange(6) == 0:
            steps.append((0, [pick.choice(BROKEN)]))
        return steps
    if kind < 9:
        # A subscriber, and another connection that publishes.
        steps = [(0, [encode(subscriptions(pick)) + encode(subscriptions(pick))])]
        for _ in range(pick.randint(1, 4)):
            steps.append(pick.choice([
                (0, [encode(subscriptions(pick))]), (0, [encode([b"ping"]) + encode(command(pick))]), (0, pipeline(pick)),
                (1, [b"".join(encode([b"publish", pick.choice(CHANNELS), value(pick)]) for _ in range(3))]),
            ]))
        return steps
    # A monitor, which also receives its own requests, and another connection.
    steps = [(0, [pick.choice([b"", encode([b"get", b"a"])]) + encode([b"monitor"]) + b"".join(
        encode(pick.choice([command(pick), command(pick), [b"monitor"], hello(pick), [b"client", b"getname"]])) for _ in range(pick.randint(0, 4)))])]
    for _ in range(pick.randint(1, 2)):
        steps.append((1, pipeline(pick)))
    return steps
