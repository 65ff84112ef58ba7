import ReactiveCAres
import ReactiveDashboard
import ReactiveHTTP
import ReactiveLogging
import ReactiveMetrics
import ReactiveNATS
import ReactiveServiceLifecycle
import ReactiveSignals
import ReactiveSockets
import ReactiveTLS
import ReactiveTracing
import SchedulerDispatch
import SchedulerLibevent
import SchedulerLibuv

// Without traits each marked line is an error. The compiler's message contains the text that follows the mark.
let libuv = LibuvLoop.main  // rejected: LibuvLoop needs the trait Libuv: .package(url: …, from: …, traits: ["Libuv"])
let libuvThread = try LibuvLoop(name: "io")  // rejected: LibuvLoop needs the trait Libuv
let libuvGuest = try LibuvLoop(attachedTo: nil)  // rejected: LibuvLoop needs the trait Libuv
func run(_ loop: LibuvLoop) {}  // rejected: LibuvLoop needs the trait Libuv

let libevent = LibeventLoop.main  // rejected: LibeventLoop needs the trait Libevent
let libeventThread = try LibeventLoop(name: "io")  // rejected: LibeventLoop needs the trait Libevent
let libeventGuest = try LibeventLoop(attachedTo: nil)  // rejected: LibeventLoop needs the trait Libevent

let loop = DispatchLoop.main
let listener = try Listener(on: .loopback(port: 0), loop: LibuvLoop.main)  // rejected: LibuvLoop needs the trait
let client = NATSClient(to: [], on: loop)  // rejected: NATSClient needs the trait NATS
let connecting = NATSClient.connect(to: [], on: loop)  // rejected: NATSClient needs the trait NATS

let tls = try TLSContext()  // rejected: TLSContext needs the trait TLS: .package(url: …, from: …, traits: ["TLS"])
let settings = TLSConfiguration()  // rejected: TLSConfiguration needs the trait TLS

let web = try HTTPServer()  // rejected: HTTPServer needs the trait HTTP: .package(url: …, from: …, traits: ["HTTP"])
let dashboard = try Dashboard()  // rejected: Dashboard needs the trait HTTP

let resolver = AresResolver(loop: loop)  // rejected: AresResolver needs the trait CAres: .package(url:

let service = ServerService {  // rejected: ServerService needs the trait ServiceLifecycle
    try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { $0.send(from: $0.received) }
}
let server = try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { $0.send(from: $0.received) }
server.log(to: "a logger")  // rejected: Server.log(to:at:) needs the trait Logging
server.log(to: "a logger", at: .debug)  // rejected: Server.log(to:at:) needs the trait Logging
server.record(prefix: "echo")  // rejected: Server.record(…) needs the trait Metrics
let traced = Signal<Int, Never>.never.traced("x")  // rejected: Signal.traced(…) needs the trait Tracing
