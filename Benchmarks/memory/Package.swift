// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "memory-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "imgcache", path: "../..")],
  targets: [
    .executableTarget(
      name: "memory-bench",
      dependencies: [.product(name: "ImagePipeline", package: "imgcache")])
  ],
  swiftLanguageModes: [.v6]
)
