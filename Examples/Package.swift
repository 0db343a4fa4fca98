// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "imgcache", path: "..", traits: ["ServiceLifecycle"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
  ],
  targets: [
    example("TerminalImage"),
    example("PrefetchJob"),
    example("CustomCodec"),
    example(
      "ThumbnailService",
      ["ImagePipelineServices", "ThumbnailServer"].map { .product(name: $0, package: "imgcache") }
        + [.product(name: "Hummingbird", package: "hummingbird")]),
    example("HitRateStudy"),
    example(
      "LoadTracing", [.product(name: "Tracing", package: "swift-distributed-tracing")]),
  ],
  swiftLanguageModes: [.v6]
)

func example(_ name: String, _ more: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name, dependencies: [.product(name: "ImagePipeline", package: "imgcache")] + more,
    path: name)
}
