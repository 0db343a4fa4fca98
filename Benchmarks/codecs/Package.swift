// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "codec-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "imgcache", path: "../..")],
  targets: [
    .target(
      name: "CPeers",
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png"), .linkedLibrary("gif")]),
    .executableTarget(
      name: "codec-bench",
      dependencies: ["CPeers", .product(name: "ImagePipeline", package: "imgcache")]),
  ],
  swiftLanguageModes: [.v6]
)
