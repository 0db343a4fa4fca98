import Benchmark
import Registration

let benchmarks: @Sendable () -> Void = { register(ServeComparisons.all) }
