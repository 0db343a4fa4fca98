// swift-tools-version: 6.2
import PackageDescription

// Each area is a target of its own, so that `--target` chooses it. The comparisons themselves are
// in one library that does not depend on the benchmark framework: `check-limits` builds it with the
// main package.
let areas: [(name: String, more: [Target.Dependency])] = [
  ("Codec", []), ("Resize", []), ("Thumbnail", []), ("Memory", []), ("Disk", []), ("Loader", []),
  ("Prefetch", []),
  // Only the server depends on NIO.
  ("Serve", [.product(name: "ThumbnailServer", package: "imgcache")]),
]

let package = Package(
  name: "imgcache-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "imgcache", path: ".."),
    // Without its traits: neither jemalloc nor an interposer is needed.
    .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
  ],
  targets: [
    // The peer libraries.
    .target(
      name: "CPeers", path: "CPeers",
      linkerSettings: [
        .linkedLibrary("jpeg"), .linkedLibrary("png"), .linkedLibrary("gif"),
        .linkedLibrary("webp"), .linkedLibrary("lcms2"),
      ]),
    .target(
      name: "Comparisons",
      dependencies: ["CPeers", .product(name: "ImagePipeline", package: "imgcache")],
      path: "Comparisons"),
    .target(
      name: "Registration",
      dependencies: ["Comparisons", .product(name: "Benchmark", package: "benchmark")],
      path: "Registration"),
    .executableTarget(
      name: "FetchDriver",
      dependencies: [.product(name: "ImagePipeline", package: "imgcache")],
      path: "Tools/FetchDriver"),
    .executableTarget(
      name: "ThumbnailDriver",
      dependencies: [.product(name: "ImagePipeline", package: "imgcache")],
      path: "Tools/ThumbnailDriver"),
  ]
    + areas.map { area in
      .executableTarget(
        name: area.name + "Benchmarks", dependencies: ["Comparisons", "Registration"] + area.more,
        path: area.name + "Benchmarks",
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    },
  swiftLanguageModes: [.v6]
)
