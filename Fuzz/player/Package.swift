// swift-tools-version: 6.2
import PackageDescription

let sanitizers = ["-sanitize=fuzzer,address", "-parse-as-library"]

let package = Package(
  name: "fuzz-player",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "imgcache", path: "../..")],
  targets: [
    .target(name: "CDriver"),
    .executableTarget(
      name: "fuzz-player",
      dependencies: ["CDriver", .product(name: "ImagePipeline", package: "imgcache")],
      swiftSettings: [.unsafeFlags(sanitizers)],
      linkerSettings: [.unsafeFlags(sanitizers)]),
  ],
  swiftLanguageModes: [.v6]
)
