// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "loader-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "imgcache", path: "../..")],
  targets: [
    .executableTarget(
      name: "LoaderBenchmark",
      dependencies: [.product(name: "ImagePipeline", package: "imgcache")])
  ],
  swiftLanguageModes: [.v6]
)
