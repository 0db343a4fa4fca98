import Benchmark
import Comparisons
import Registration

let benchmarks: @Sendable () -> Void = { register(Area.loader.comparisons) }
