# The commands of newcomers, developers and CI. `make help` lists them.
LOOP ?= dispatch
PORT ?= 7000
HOST ?= 127.0.0.1
# The traits of every build. TRAITS= builds without any, TRAITS=Libuv with one.
TRAITS ?= Libuv,Libevent,NATS,TLS,Logging,Metrics,ServiceLifecycle,HTTP,Tracing,CAres
SWIFT ?= swift
# A terminal shows the progress of a build. A log contains errors only.
# Editors need the index, and so does SwiftPM to find tests. Builds without tests omit it. Each build of a scratch path must have
# the same flags.
NO_INDEX = --disable-index-store
BUILD = Tests/Checks/build.sh $(SWIFT) build $(if $(shell [ -t 2 ] && echo terminal),,--quiet)
TEST_FLAGS ?=
# Tests of simulations need the same order of sets and dictionaries in each process. Builds have the variable too, because a
# different value makes the next build compile everything again.
export SWIFT_DETERMINISTIC_HASHING := 1
SECONDS ?= 600
FLAT_EVENTS ?= 10000000
# Users run release builds, so tests do too (Docs/Decisions/0065). A debug build also executes assertions, and recompiles less
# after a change: CONFIGURATION=debug.
CONFIGURATION ?= release

comma := ,
TRAIT_LIST := $(subst $(comma), ,$(TRAITS))
has = $(filter $(1),$(TRAIT_LIST))
flags = $(if $(strip $(1)),--traits $(subst $() ,$(comma),$(strip $(1))))
export TRAIT_FLAGS := $(call flags,$(TRAIT_LIST))
# An expression that takes 5 s to type-check is an error: one of them took 100 s in each build.
TYPE_CHECKING = -Xswiftc -Xfrontend -Xswiftc -warn-long-expression-type-checking=5000
# SwiftPM finds tests by the index of this package. The index of libraries would cost a sixth of the build.
SMALL_INDEX = -Xswiftc -index-ignore-system-modules -Xswiftc -Xfrontend -Xswiftc -index-ignore-stdlib
# The one build of the tests, and of the programs beside them. Tests look inside modules. The scripts of Tests/Checks build too: with
# other flags they would compile everything again.
export BUILD_FLAGS := -c $(CONFIGURATION) $(if $(filter release,$(CONFIGURATION)),-Xswiftc -enable-testing) $(TYPE_CHECKING) $(SMALL_INDEX) $(TRAIT_FLAGS)
BUILD_TESTS = $(BUILD) --build-tests $(BUILD_FLAGS)
RUN_TESTS = Tests/Checks/tests.sh $(SWIFT) test --disable-xctest --skip-build $(BUILD_FLAGS)
# Builds with AddressSanitizer also have the yield points of simulations.
ASAN_FLAGS := $(call flags,$(TRAIT_LIST) Simulation)
# The package of the examples has these alone.
EXAMPLE_TRAITS := $(filter Libuv Libevent NATS TLS HTTP,$(TRAIT_LIST))
EXAMPLE_FLAGS := $(call flags,$(EXAMPLE_TRAITS))
# The copies of the package that traces and mutants build need no more. The first fetches no package.
COPY_FLAGS := $(call flags,$(filter Libuv Libevent,$(TRAIT_LIST)))
# Tests of simulated threads need yield points in locks.
MUTANTS_TRAITS := $(call flags,$(filter Libuv Libevent NATS TLS HTTP Tracing CAres,$(TRAIT_LIST)) Simulation)

# Every target is a command's name, none a file's.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 20

deps: ## Install the libraries that are missing (Debian, Ubuntu)
	@.ci/deps $(if $(call has,Libuv),libuv1-dev) $(if $(call has,Libevent),libevent-dev) $(if $(call has,NATS),libssl-dev openssl) $(if $(call has,TLS),libssl-dev openssl) $(if $(call has,HTTP),zlib1g-dev) $(if $(call has,CAres),libc-ares-dev)

# With only the traits that its loops need, and a scratch path of its own: other traits would compile everything again. A debug build
# takes half the time. `make examples` builds the server for release, as benchmarks and smoke tests run it.
run: ## Start the echo server: LOOP=dispatch|libuv|libevent PORT=7000 HOST=127.0.0.1
	@.ci/deps $(if $(call has,Libuv),libuv1-dev) $(if $(call has,Libevent),libevent-dev)
	$(SWIFT) run $(NO_INDEX) --package-path Examples --scratch-path .build/run $(call flags,$(filter Libuv Libevent,$(TRAIT_LIST))) echo-server --loop $(LOOP) --host $(HOST) --port $(PORT)

# The tests of NATS get a process of their own: they move millions of messages, and other tests count descriptors and threads.
test: deps ## Run all tests; TEST_FLAGS="--filter N17" runs some of them, without those of NATS
	$(BUILD_TESTS)
	$(RUN_TESTS) --skip ^NATSTests $(TEST_FLAGS)
	$(if $(TEST_FLAGS),,$(if $(call has,NATS),$(MAKE) test-nats,@echo 'skipped: NATSTests (TRAITS does not name NATS)'))

copies: deps ## Test sockets and loops while a copy of each closed descriptor stays open for HOLD_MS=10 ms: FILTER=
	@.ci/deps gcc libc6-dev
	$(BUILD_TESTS)
	Tests/Checks/Copies/copies.sh

# Without the trait these targets would have nothing to run, and pass.
with-nats:
	@$(if $(call has,NATS),.ci/deps nats-server openssl,echo 'this needs the trait NATS: name it in TRAITS' >&2; exit 1)

test-nats: deps with-nats ## Test ReactiveNATS against a nats-server that it installs and starts; make test runs it too
	$(BUILD_TESTS)
	$(RUN_TESTS) --filter ^NATSTests $(TEST_FLAGS)

chat-test: deps with-nats examples ## Test the chat in three processes, one on each loop, with 300 clients; one process is killed
	@.ci/deps python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/chat.py
	CHAT_BINARY=Examples/.build/release/chat PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/greedy.py chat

simulate: deps ## Run each service in the simulation with COUNT=1000 seeds
	$(BUILD_TESTS)
	SIMULATE_SEEDS=$(or $(COUNT),1000) $(RUN_TESTS) --filter ^ReactiveSimulationTests.ServiceTests/services

fidelity: deps ## Compare the simulated kernel with that of this machine: COUNT=10000 random socket programs of each kind
	$(BUILD_TESTS)
	FIDELITY_PROGRAMS=$(or $(COUNT),10000) $(RUN_TESTS) --filter ^ReactiveSimulationTests.FidelityTests

bench-simulation: deps ## Measure a thousand simulated connections for SECONDS=600 simulated seconds; an hour may take 30 s
	$(BUILD_TESTS)
	SIMULATED_SECONDS=$(SECONDS) $(SWIFT) test --disable-xctest --skip-build $(BUILD_FLAGS) --filter ^ReactiveSimulationTests.LoadTests/load

typecheck: ## Check that typical code with signals type-checks quickly, and that unsafe uses do not compile
	Tests/Checks/typecheck.sh
	Tests/Checks/rejected.sh

flat: ## Check that memory stays constant over FLAT_EVENTS=10000000 events and a tenth as many subscriptions through each operator
	$(BUILD_TESTS)
	FLAT_EVENTS=$(FLAT_EVENTS) $(RUN_TESTS) --filter ^ReactiveSignalsTests.FlatTests

# The selection on the command line; everything by default.
ONLY_LOOP = $(filter command environment,$(firstword $(origin LOOP)))
ONLY = $(if $(ONLY_LOOP),--loop $(LOOP)) $(if $(RULE),--rule $(RULE))
SEEDED = $(if $(SEED),--seed $(SEED))
# The page is written by a run of everything.
PAGE = $(if $(and $(call has,Libuv),$(call has,Libevent)),$(if $(strip $(ONLY)),,--markdown Docs/Conformance.md))
REPORTS = --json .build/conformance.json --junit .build/conformance.xml

conformance: deps ## Check every loop by the rule book (Docs/Contract.md): LOOP=libuv RULE=T,S3 SEED=1
	$(SWIFT) run $(BUILD_FLAGS) ConformanceProgram $(ONLY) $(SEEDED) $(PAGE) $(REPORTS)

conformance-long: deps ## Like make conformance, with all rounds of the stochastic rules
	$(SWIFT) run $(BUILD_FLAGS) ConformanceProgram --long $(ONLY) $(SEEDED) $(REPORTS)

custom-loop: ## Check the loop of Docs/WritingAPoller.md by the conformance kit: RULE= SEED=
	$(SWIFT) run $(NO_INDEX) --package-path Examples/CustomLoop PollRules $(if $(RULE),--rule $(RULE)) $(SEEDED)

no-traits: ## Build and test without traits: no package is fetched, and no header of a C library is needed
	Tests/Checks/without-pins.sh $(BUILD) --build-tests --scratch-path .build/no-traits
	@[ -z "$$(ls -A .build/no-traits/checkouts 2>/dev/null)" ] || { echo 'a build without traits has fetched a package' >&2; exit 1; }
	EXPECTED_TRAITS= Tests/Checks/without-pins.sh Tests/Checks/tests.sh $(SWIFT) test --disable-xctest --skip-build --scratch-path .build/no-traits $(TEST_FLAGS)
	$(BUILD) $(NO_INDEX) --package-path Examples --scratch-path .build/no-traits-examples

certificates: ## Create a test CA, and certificates of it for servers and clients, in .build/certificates
	@.ci/deps openssl
	Tests/Smoke/certificates.sh

smoke: deps examples ## Test the echo server with real clients, on every loop
	@.ci/deps socat netcat-openbsd python3 gcc libc6-dev
	Tests/Smoke/smoke.sh

test-tls: deps examples ## Test TLS with programs of other projects, on every loop: PARTS="clients servers failures reload conversations scanners"
	@.ci/deps openssl curl gnutls-bin redis-tools nginx-light libnginx-mod-stream stunnel4 testssl.sh python3 python3-venv
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/tls.py $(PARTS)

test-http: deps examples ## Test the HTTP server with curl, ab, wrk, Python and Node, behind nginx and haproxy, and in front of them, on every loop
	@.ci/deps curl apache2-utils wrk nodejs openssl python3 nginx-light haproxy
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/http_clients.py
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/http_files.py
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/proxy_protocol.py
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/http_origins.py

test-browser: deps examples ## Test the web chat in headless Chromium, on every loop: SCREENSHOT=Docs/WebChat.png
	@.ci/deps chromium python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/browser.py $(if $(SCREENSHOT),--screenshot $(SCREENSHOT))

test-proxy: deps examples ## Test the reverse proxy on every loop, and its memory while it uploads SIZE=10240 MiB
	@.ci/deps python3
	SIZE=$(SIZE) PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/proxy.py

test-gateway: deps examples ## Test the HTTP gateway of the key-value server on every loop
	@.ci/deps python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/gateway.py

test-dashboard: deps examples ## Test the dashboard with Chromium and promtool, on every loop: SCREENSHOT=file.png
	@.ci/deps chromium prometheus python3
	PYTHONDONTWRITEBYTECODE=1 $(if $(SCREENSHOT),SCREENSHOT=$(SCREENSHOT)) python3 Tests/Smoke/dashboard.py

test-websocket: deps examples ## Run the Autobahn TestSuite (Python 2.7) with the WebSocket echo, on every loop: SIDES="server client" AUTOBAHN_CASES=short
	@.ci/deps zlib1g-dev
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/autobahn.py $(SIDES)

restarts: deps examples ## Restart the echo, key-value and HTTP servers COUNT=100 times under RATE=200 connections per second, by activation and by hand-over, on every loop
	@.ci/deps python3
	COUNT=$(COUNT) RATE=$(RATE) PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/restarts.py

redis: deps examples ## Test the key-value server with redis-cli, redis-benchmark and Python's redis, on every loop
	@.ci/deps redis-tools python3 python3-venv
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/keyvalue.py

fuzz-redis: deps examples ## Compare the replies of the key-value server and redis-server to random pipelines: COUNT=2000 SEED=1
	@.ci/deps redis-server python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/redis_compare.py --count $(or $(COUNT),2000) --seed $(or $(SEED),1)
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/redis_compare.py --count $(or $(COUNT),2000) --seed $(or $(SEED),1) --loop libuv --threads 2

service: deps examples ## Test operations on a server and network failures, on every loop; SMOKE_BYTES for the forwarder, 1 GiB
	@.ci/deps python3 gcc libc6-dev
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/service.py

greedy: deps examples ## Test each example with clients that send without reading; memory must stay within its bound: ROWS="echo relay"
	@.ci/deps python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/greedy.py $(ROWS)

soak: deps examples ## Run mixed load on every loop at once for SECONDS=600; memory and descriptor counts must stay constant
	@.ci/deps python3 gcc libc6-dev
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/soak.py --seconds $(SECONDS)

# The copy's threads pause at random before and after each access of an atomic (Tests/Traces/Interleaving/interleaving.py).
TRACES = .build/traces-source
TRACES_FLAGS = --count $(or $(COUNT),2000) --races $(or $(RACES),300) $(if $(PROCESSES),--processes $(PROCESSES)) $(if $(REPEAT),--repeat $(REPEAT)) $(if $(JOBS),--jobs $(JOBS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(FORKS),--forks) $(if $(SEED),--seed $(SEED))
traces: deps ## Run random programs: compare their traces on every loop, then race threads and processes that pause at random: COUNT=2000 RACES=300 PROCESSES=200 MINUTES= SEED= MUTANT=
	@.ci/deps python3
	Tests/Traces/Interleaving/interleaving.py --copy $(TRACES)
	$(BUILD) --package-path $(TRACES) $(COPY_FLAGS) --product traces --scratch-path .build/traces
	$(if $(MUTANT),MUTANT=$(MUTANT)) .build/traces/debug/traces $(TRACES_FLAGS)

# The mutants are edits to a copy of the package, which has a build folder of its own (Tests/Mutants/README.md).
MUTANTS = .build/mutants-source
MUTANTS_PAGE ?= Docs/Mutants.md
MUTANTS_CHOICE = $(if $(PART),--part $(PART)) $(if $(MUTANT),--only $(MUTANT))
MUTANTS_FLAGS = $(if $(MUTANTS_PAGE),--page $(MUTANTS_PAGE)) $(MUTANTS_CHOICE) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))
MUTANTS_SIMULATED = .build/mutants-simulated
SEEDS ?= 1000

mutants-simulated: deps ## Run each mutant on the simulated machine alone, until one of SEEDS=1000 seeds detects it: MUTANT=name JOBS=4
	@.ci/deps python3
	Tests/Mutants/mutants.py --copy $(MUTANTS)
	$(BUILD) --package-path $(MUTANTS) $(call flags,Simulation) --product ConformanceProgram --scratch-path $(MUTANTS_SIMULATED)
	Tests/Mutants/mutants.py --run $(MUTANTS_SIMULATED)/debug --simulated $(SEEDS) $(if $(MUTANT),--only $(MUTANT)) $(if $(JOBS),--jobs $(JOBS))

# The build contains the conformance program and the tests that the chosen mutants need.
mutants: deps ## Apply each mutant to a copy of the sources; the conformance kit or tests must detect it: MUTANT=name PART=1/3 SEED= JOBS=4
	@.ci/deps python3 $(if $(call has,NATS),nats-server openssl)
	Tests/Mutants/mutants.py --copy $(MUTANTS)
	targets=$$(Tests/Mutants/mutants.py --targets $(MUTANTS_CHOICE)) && \
	    REACTIVE_TARGETS=$$targets $(BUILD) --package-path $(MUTANTS) $(MUTANTS_TRAITS) --build-tests --scratch-path .build/mutants
	Tests/Mutants/mutants.py --run .build/mutants/debug $(MUTANTS_FLAGS)

# TARGETS="ReactiveTLSTests ConformanceProgram" limits these builds (Package.swift). The rule book is run by its program: Swift Testing would run
# the same checks a second time. Each check is a process, and some tests start hundreds of processes. ThreadSanitizer would delay each
# for a second at its end; atexit_sleep_ms=0 prevents that. It defers signals, and does not support children that go on after a fork of
# several threads.
skip = $(foreach name,$(1),--skip '^$(name)')
WATCHDOGS = LoopTests.Loops/Watchdog GuestTests.Guests/Watchdog SchedulerEngineTests.Watchdog ReactiveSimulationTests.Watchdog
tsan tsan-nats asan interleavings fuzz: export REACTIVE_TARGETS = $(strip $(TARGETS))
TSAN_BUILD = $(TRAIT_FLAGS) $(SMALL_INDEX) --sanitize=thread --scratch-path .build/tsan
TSAN_TESTS = Tests/Checks/tests.sh $(SWIFT) test --disable-xctest --skip-build $(TSAN_BUILD)
tsan: deps ## Run all tests, and the rule book on every loop, under ThreadSanitizer: LOOP= TARGETS=
	@echo 'skipped: ForkTests (ThreadSanitizer defers signals and does not support such forks; make test and make asan run them)'
	@echo 'skipped: NATSTests (make tsan-nats runs them)'
	@echo 'skipped: ReactiveSimulationTests (a world runs on one thread; make test and make asan run them)'
	@echo 'skipped: tests of watchdogs (ThreadSanitizer defers the signal that captures a stack; make test runs them)'
	$(BUILD) --build-tests $(TSAN_BUILD)
	$(if $(ONLY_LOOP),TEST_LOOPS=$(LOOP)) TSAN_OPTIONS="halt_on_error=1 atexit_sleep_ms=0 die_after_fork=0" $(TSAN_TESTS) $(call skip,ConformanceTests NATSTests ReactiveSimulationTests ProcessTests.ForkTests $(WATCHDOGS)) $(TEST_FLAGS)
	TSAN_OPTIONS="halt_on_error=1 atexit_sleep_ms=0 die_after_fork=0" .build/tsan/debug/ConformanceProgram $(ONLY) $(SEEDED)

tsan-nats: deps with-nats ## Run the tests of ReactiveNATS under ThreadSanitizer
	$(BUILD) --build-tests $(TSAN_BUILD)
	TSAN_OPTIONS="halt_on_error=1" $(TSAN_TESTS) --filter ^NATSTests $(TEST_FLAGS)

# The test process is not checked for leaks when it ends: tests of re-entrance observe a subject from closures that retain it,
# which is a cycle, and Foundation's Process leaks. Each check of the rule book has its own process, which is checked.
ASAN_BUILD = $(ASAN_FLAGS) $(SMALL_INDEX) --sanitize=address --scratch-path .build/asan
# Swift's backtracer and AddressSanitizer would both handle the trap of a child, which might then hang.
ASAN_TESTS = SWIFT_BACKTRACE=enable=no Tests/Checks/tests.sh $(SWIFT) test --disable-xctest --skip-build $(ASAN_BUILD)
LEAKS = LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Checks/leaks.supp:print_suppressions=0
asan: deps ## Run all tests, and the rule book on every loop, under AddressSanitizer; the rule book under LeakSanitizer too: LOOP= TARGETS=
	@echo 'skipped: ServiceTests, WorldTests, DrainTests and DocsSimulation (many seeds; make test and make simulate run them)'
	@echo 'skipped: interleavings (their threads would disturb tests that count threads; make interleavings runs them)'
	@echo 'skipped: tests of watchdogs (backtrace of AddressSanitizer takes a lock, which the interrupted thread may hold; make test runs them)'
	$(BUILD) --build-tests $(ASAN_BUILD)
	$(if $(ONLY_LOOP),TEST_LOOPS=$(LOOP)) ASAN_OPTIONS=detect_leaks=0 $(ASAN_TESTS) $(call skip,ConformanceTests NATSTests $(addprefix ReactiveSimulationTests.,ServiceTests WorldTests DrainTests DocsSimulation [A-Za-z]*Interleaving) ReactiveSignalsTests.Interleaving $(WATCHDOGS)) $(TEST_FLAGS)
	ASAN_OPTIONS=detect_leaks=1 $(LEAKS) .build/asan/debug/ConformanceProgram $(ONLY) $(SEEDED)

# Only this build has yield points in its locks. A test that fails prints the seed.
interleavings: deps ## Stop threads at random moments of simulations, under AddressSanitizer: COUNT=100 seeds
	$(BUILD) --build-tests $(ASAN_BUILD)
	ASAN_OPTIONS=detect_leaks=0 INTERLEAVINGS=$(or $(COUNT),100) $(ASAN_TESTS) --filter '^(ReactiveSimulationTests|ReactiveSignalsTests)\.[A-Za-z]*(Interleaving|ThreadTests)'

# The build of `make asan`, with the parsers of NATS. A parser that allocates more at once than any input justifies fails.
fuzz: deps llhttp ## Fuzz every parser of network data, under AddressSanitizer: COUNT=20000 SEED= FUZZER=framing
	$(BUILD) --product fuzz $(ASAN_BUILD)
	LLHTTP=$(LLHTTP) ASAN_OPTIONS=detect_leaks=0:max_allocation_size_mb=64 .build/asan/debug/fuzz --count $(or $(COUNT),20000) $(if $(SEED),--seed $(SEED)) $(if $(FUZZER),--only $(FUZZER))

# The reference parser of `fuzz-http`, from Debian's sources in node-llhttp.
LLHTTP = $(CURDIR)/.build/libllhttp.so
llhttp:
	@.ci/deps node-llhttp gcc libc6-dev
	@mkdir -p $(dir $(LLHTTP))
	gcc -O2 -shared -fPIC -Wall -DLLHTTP_STRICT_MODE=1 -I/usr/share/include/llhttp /usr/share/llhttp/*.c Tests/Fuzz/llhttp/digest.c -o $(LLHTTP)

# A release build, because a debug build would need an hour. `make fuzz` runs the same fuzzer under AddressSanitizer.
fuzz-http: deps llhttp ## Compare the HTTP parser with llhttp on COUNT=1000000 mutated messages (Docs/HTTPParsing.md): SEED=
	$(BUILD) --product fuzz $(BUILD_FLAGS)
	LLHTTP=$(LLHTTP) .build/$(CONFIGURATION)/fuzz --only http --count $(or $(COUNT),1000000) $(if $(SEED),--seed $(SEED))

# Each conversation with a changed handshake or record ends with an error or intact. The heap must not grow, and nothing may leak.
fuzz-tls: deps ## Attack TLS with changed handshakes and records, under AddressSanitizer and LeakSanitizer: COUNT=100000 SEED=1
	$(BUILD) --build-tests $(ASAN_BUILD)
	ASAN_OPTIONS=detect_leaks=1:max_allocation_size_mb=64 $(LEAKS) TLS_MUTATIONS=$(or $(COUNT),100000) TLS_SEED=$(or $(SEED),1) $(ASAN_TESTS) --filter ^ReactiveTLSTests.MutationTests

fuzz-proxy: deps ## Compare the parser of the PROXY protocol with a second one on COUNT=100000 mutated headers, under AddressSanitizer: SEED=1
	$(BUILD) --build-tests $(ASAN_BUILD)
	ASAN_OPTIONS=detect_leaks=0 PROXY_MUTATIONS=$(or $(COUNT),100000) PROXY_SEED=$(or $(SEED),1) $(ASAN_TESTS) --filter ^ReactiveSocketsTests.ProxyParserTests

guests: deps ## Run hiredis, nats.c, our sockets and timers on one uv_loop_t, and on one event_base: COUNT=100000 operations each
	@.ci/deps libhiredis-dev libnats-dev redis-server redis-tools nats-server gcc libc6-dev
	$(BUILD) $(NO_INDEX) --package-path Tests/GuestClients --scratch-path Examples/.build -c release
	COUNT=$(or $(COUNT),100000) SWIFT="$(SWIFT)" Tests/GuestClients/guests.sh

# The needs of measurements: C baselines, callgrind, strace, a Redis to compare with.
BENCH = Tests/Benchmarks/bench.py $(BENCH_FLAGS)
BENCH_DEPS = @.ci/deps gcc libc6-dev python3 util-linux valgrind strace binutils

bench: deps examples ## Compare everything with its peers, and write Docs/Performance.md: BENCH_FLAGS="--rounds 5 --only echo"
	$(BENCH_DEPS) redis-server redis-tools libssl-dev openssl wrk nginx-light
	$(BENCH)

bench-echo: deps ## Compare the echo server with servers in C and SwiftNIO's
	$(BENCH_DEPS)
	$(BENCH) echo

bench-tls: deps ## Compare the echo server with TLS with a server in C on the same OpenSSL, and with SwiftNIO's
	$(BENCH_DEPS) libssl-dev openssl
	$(BENCH) tls

bench-http: deps ## Compare the HTTP server with SwiftNIO's and nginx
	$(BENCH_DEPS) wrk nginx-light
	$(BENCH) web

bench-idle: deps examples ## Measure the memory of 10,000 idle WebSockets and HTTP connections on every loop. LIMIT=8000 fails if a WebSocket needs more bytes
	@.ci/deps python3
	PYTHONDONTWRITEBYTECODE=1 LIMIT=$(LIMIT) python3 Tests/Benchmarks/idle_websockets.py

bench-timers: deps ## Compare timers with those of libuv, libevent and SwiftNIO
	$(BENCH_DEPS)
	$(BENCH) timers

bench-hops: deps ## Compare work from thread to thread with C and SwiftNIO
	$(BENCH_DEPS)
	$(BENCH) hops

bench-signals: deps ## Compare signals with OpenCombine
	$(BENCH_DEPS)
	$(BENCH) signals

bench-pauses: deps ## Compare four threads that pause signals of their own with four processes of one thread each
	$(BENCH_DEPS)
	Tests/Benchmarks/pauses.py

bench-growth: deps ## Measure how cost grows with connections, timers and observers
	$(BENCH_DEPS)
	$(BENCH) growth

bench-commands: deps examples ## Compare the key-value server with redis-server
	$(BENCH_DEPS) redis-server redis-tools
	$(BENCH) commands

bench-overload: deps examples ## Send an HTTP server twice its capacity, with and without a limiter (Docs/Overload.md): OVERLOAD_FLAGS="--seconds 5" for a check without bounds
	@.ci/deps gcc libc6-dev python3
	Tests/Benchmarks/overload.py $(OVERLOAD_FLAGS)

bench-shapes: ## Compare signals made of sinks with signals made of closures, from another module
	$(SWIFT) run $(NO_INDEX) -c release --package-path Tests/Benchmarks shape-bench

compare-line-server: deps ## The gallery's line server beside one on SwiftNIO: lines, build time, size, CPU (Docs/ComingFrom.md)
	@.ci/deps gcc libc6-dev python3 util-linux binutils
	Tests/Benchmarks/compare_line_server.py $(COMPARE_FLAGS)

guards: deps ## Count what an event and an idle connection cost, and compare with Tests/Benchmarks/limits.json: GUARD_FLAGS=--update
	$(BENCH_DEPS) libssl-dev openssl
	Tests/Benchmarks/guards.py $(GUARD_FLAGS)

guards-notice: ## Check that `make guards` reports each excess: plants some in its last measurements
	Tests/Benchmarks/guards_notice.py

load-commands: ## Execute commands a million times for each strategy and kind of work, from eight threads: COUNT=1000000
	$(BUILD) --product CommandLoad $(BUILD_FLAGS)
	Tests/Checks/load-commands.sh $(or $(COUNT),1000000)

examples: deps ## Build the examples in release
	$(BUILD) $(NO_INDEX) --package-path Examples -c release $(EXAMPLE_FLAGS)

package: deps ## Build a Debian package of the examples, with systemd units and a static Swift runtime, in .build/package
	@.ci/deps dpkg-dev binutils
	TRAIT_FLAGS="$(call flags,$(filter-out NATS,$(EXAMPLE_TRAITS)))" SWIFT="$(SWIFT)" Examples/Packaging/package.sh

test-package: package ## Install the package in a new Debian 12, run its programs there, and check its units; needs root
	@.ci/deps debootstrap python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/package.py

gallery: deps examples ## Run each program of Docs/Gallery.md on every loop: ROWS="cron pub-sub"
	@.ci/deps python3
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Smoke/gallery.py $(ROWS)

format: ## Format everything
	$(SWIFT) format -i -r -p Package.swift Sources Tests Examples

lint: ## Check the format
	$(SWIFT) format lint --strict -r -p Package.swift Sources Tests Examples

check: ## Check layering, unsafe code, tests of misuses, file sizes, licence lines, integers from the network, inlinable members, doc comments, snippets and the links of the life pages, that a CI stage runs each test, and that every mutant and every inserted pause applies
	@.ci/deps python3
	Tests/Checks/layering.sh
	Tests/Checks/misuses.py
	Tests/Checks/sizes.py
	Tests/Checks/licence.py
	Tests/Checks/inlinable.py
	Tests/Checks/wire-integers.sh
	Tests/Checks/doc-comments.py
	Tests/Checks/life-pages.py
	Tests/Checks/snippets.py
	Tests/Checks/test-stages.py
	Tests/Mutants/mutants.py --check
	Tests/Traces/Interleaving/interleaving.py --check

linkage: deps ## Check that a service on the Dispatch loop links neither Foundation nor libuv nor libevent nor OpenSSL
	Tests/Checks/linkage.sh

unspecialised: deps ## Call each operator from another package, in code that the compiler does not specialise, with -Onone and with -O
	@.ci/deps python3
	Tests/Checks/Unspecialised/unspecialised.py --write
	$(BUILD) $(NO_INDEX) --package-path .build/unspecialised --scratch-path Examples/.build -c release
	Tests/Checks/Unspecialised/unspecialised.py --run

docs: deps ## Build the DocC pages of every product into .build/docs; a warning fails
	Tests/Checks/docs.sh

ci-long: ## Run all checks, also those too long for a landing, and print one table: STAGES="asan mutants"
	@.ci/deps python3
	.ci/long $(STAGES)

api-check: deps ## Compare the public API with the revision in Tests/Checks/api-baseline.txt; takes some minutes
	Tests/Checks/api-check.sh

consumer: deps ## Build packages that depend on the committed state by URL, with the manifests of README and of the product pages: GALLERY=1
	@.ci/deps python3
	GALLERY=$(GALLERY) Tests/Checks/consumer.sh

clean: ## Remove all build products
	rm -rf .build Examples/.build Examples/CustomLoop/.build Tests/Benchmarks/.build
