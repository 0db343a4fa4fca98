// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tracing-example",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "imgcache", path: "../.."),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
  ],
  targets: [
    .executableTarget(
      name: "TracingExample",
      dependencies: [
        .product(name: "ImagePipeline", package: "imgcache"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
