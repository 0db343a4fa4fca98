// swift-tools-version: 6.2
import PackageDescription

// Debug builds optimise the C as well: pixel loops without -O2 are some thirty times slower,
// and the tests decode thousands of files. Release builds get -O2 from SwiftPM itself.
let optimisedInDebug: [CSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

let existentials: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
let strict =
  existentials
  + ["MemberImportVisibility", "InternalImportsByDefault"].map { .enableUpcomingFeature($0) }
// In modules with hardly an asynchronous function; PipelineDecisions says why not in others.
let strictOnCaller = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt]), .brew([brew])])
}

func serviceLifecycle(_ product: String) -> Target.Dependency {
  .product(
    name: product, package: "swift-service-lifecycle",
    condition: .when(traits: ["ServiceLifecycle"]))
}

// What an image passes on its way; each can be used by itself.
let stages = [
  "ImageModel", "LoadScheduling", "ImageCodecs", "CachePolicies", "HTTPCaching", "ImageFetching",
  "DiskCaching",
]

// The files of the reader page become part of the program: no folder has to lie beside it.
let readerFiles = [
  "address.js", "app.js", "calendar.js", "carousel.js", "dom.js", "empty.js", "favourites.js",
  "hud.js",
  "icon-192.png", "icon-512.png", "icon.svg", "keys.js", "layer.js", "layers.css", "list.js",
  "marked.js", "marks.js", "model.js",
  "month.js", "offline.js", "past.js", "pictures.js", "place.js", "pull.js", "read.js",
  "reader.css",
  "refresh.js", "search.js", "settings.js", "size.js", "start.js", "statistics.js", "storage.js",
  "story.css", "story.js", "tabs.js", "theme.css", "thumbhash.js", "today.js", "viewer.js",
  "words.js", "worker.js", "zoom.js",
]

let package = Package(
  name: "imgcache",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "ImagePipeline", targets: stages + ["ImagePipeline"]),
    .library(name: "ImageFeeds", targets: ["ImageFeeds"]),
    // The listener's types are part of what both servers are configured with.
    .library(name: "ThumbnailServer", targets: ["ThumbnailServer", "HTTPListening"]),
    // A client of Redis Cluster that needs nothing of the other libraries.
    .library(name: "RedisClustering", targets: ["RedisClustering"]),
    .library(
      name: "SharedCaching",
      targets: ["SharedCaching", "RedisClustering", "HTTPCaching", "ImageModel"]),
    .library(
      name: "CachingProxy",
      targets: ["CachingProxy", "HTTPListening", "ImageModel", "HTTPCaching", "DiskCaching"]),
    // The pipeline and both servers as services of a group; empty without the trait.
    .library(name: "ImagePipelineServices", targets: ["ImagePipelineServices"]),
    .executable(name: "imgcache", targets: ["imgcache"]),
  ],
  traits: [
    .trait(
      name: "ServiceLifecycle",
      description: "Fills ImagePipelineServices; needs swift-service-lifecycle.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    // Neither fetched nor built without the trait.
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Layer 0: C. Each library's header is included by one file.
    system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    system("CSSL", pkgConfig: "libssl", apt: "libssl-dev", brew: "openssl@3"),
    system("CLibJPEG", pkgConfig: "libjpeg", apt: "libjpeg-dev", brew: "jpeg-turbo"),
    system("CLibPNG", pkgConfig: "libpng", apt: "libpng-dev", brew: "libpng"),
    system("CLibWebP", pkgConfig: "libwebp", apt: "libwebp-dev", brew: "webp"),
    system("CLibWebPMux", pkgConfig: "libwebpmux", apt: "libwebp-dev", brew: "webp"),
    system("CLibDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
    system("CLibLCMS", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
    system("CLibCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    system("CMinizip", pkgConfig: "minizip", apt: "libminizip-dev", brew: "minizip"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    // libavif and libheif are no dependencies: they are used where their headers are, and loaded
    // with the first image.
    .target(
      name: "CImageCodecs",
      dependencies: [
        "CLibDeflate", "CLibJPEG", "CLibLCMS", "CLibPNG", "CLibWebP", "CLibWebPMux",
      ],
      cSettings: optimisedInDebug,
      linkerSettings: [
        .linkedLibrary("gif"), .linkedLibrary("z"),
        .linkedLibrary("dl", .when(platforms: [.linux])),
      ]),
    .target(name: "CPlatform", cSettings: optimisedInDebug),
    // Pango, Cairo and libxml2, loaded with the first text, feed or story: no header and no library
    // of them is linked.
    .target(
      name: "CLoadedLibraries", cSettings: optimisedInDebug,
      linkerSettings: [
        .linkedLibrary("dl", .when(platforms: [.linux])),
        .linkedLibrary("iconv", .when(platforms: [.macOS])),
      ]),
    .target(name: "CCurl", dependencies: ["CLibCurl", "CTLS"], cSettings: optimisedInDebug),

    .target(name: "CTLS", dependencies: ["CSSL"], cSettings: optimisedInDebug),

    // Layer 1: a client of Redis Cluster, on NIO and OpenSSL alone.
    .target(
      name: "RedisClustering",
      dependencies: [
        "CTLS",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      packageAccess: false,
      swiftSettings: strict),

    // Layer 1: bytes and values as text: JSON, hexadecimal digits, percent-encoding.
    .target(name: "TextEncodings", swiftSettings: strictOnCaller),

    // Layer 2: values that travel: images, addresses, limits, errors. No input or output, no clock.
    .target(
      name: "ImageModel",
      dependencies: [
        "TextEncodings", "CPlatform", "CCrypto",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: strict),

    // Layer 3: one stage each; a stage names another one only where it is built on it.
    .target(
      name: "LoadScheduling", dependencies: ["ImageModel", "CPlatform"],
      swiftSettings: strict),
    .target(
      name: "ImageCodecs",
      dependencies: [
        "ImageModel", "TextEncodings", "CImageCodecs",
      ],
      swiftSettings: strictOnCaller),
    .target(
      name: "CachePolicies", dependencies: ["ImageModel", "TextEncodings", "CPlatform"],
      swiftSettings: strictOnCaller),
    .target(
      name: "HTTPCaching",
      dependencies: [
        "ImageModel",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
      ],
      swiftSettings: strict),
    .target(
      name: "ImageFetching",
      dependencies: [
        "ImageModel", "LoadScheduling", "TextEncodings", "CCurl", "CPlatform",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: strict),
    .target(
      name: "DiskCaching",
      dependencies: [
        "ImageModel", "CachePolicies", "HTTPCaching", "LoadScheduling", "TextEncodings",
        "CPlatform", .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: strict),

    // Layer 4: one cache behind several servers.
    .target(
      name: "SharedCaching",
      dependencies: [
        "ImageModel", "HTTPCaching", "RedisClustering",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      packageAccess: false,
      swiftSettings: strict),

    // Layer 4: from a request to an image.
    .target(
      name: "ImagePipeline",
      dependencies: [
        "ImageModel", "LoadScheduling", "ImageCodecs", "CachePolicies", "HTTPCaching",
        "ImageFetching", "DiskCaching",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: strict),

    // Layer 5: what to fetch.
    .target(
      name: "ImageFeeds",
      dependencies: [
        "ImagePipeline", "ImageModel", "LoadScheduling", "ImageCodecs", "HTTPCaching",
        "ImageFetching", "DiskCaching", "TextEncodings", "CPlatform", "CLoadedLibraries",
        "CMinizip",
      ],
      resources: ["export.css", "export.js"].map { .embedInCode("Export/Page/\($0)") },
      swiftSettings: strict),

    // Layer 6: a feed made up from the date, with its origin on loopback.
    .target(
      name: "SampleFeed",
      dependencies: [
        "ImageModel", "LoadScheduling", "ImageCodecs", "HTTPCaching", "ImageFeeds",
        "TextEncodings",
      ],
      swiftSettings: strictOnCaller),

    // Layer 5: pages in the fonts of the system, for charts and contact sheets.
    .target(
      name: "Typesetting", dependencies: ["ImageModel", "ImageCodecs", "CLoadedLibraries"],
      swiftSettings: strictOnCaller),

    // Layer 5: what a cache would have done.
    .target(
      name: "CacheSimulation",
      dependencies: [
        "ImageModel", "ImageCodecs", "CachePolicies", "TextEncodings", "Typesetting", "CZlib",
      ],
      swiftSettings: strictOnCaller),

    // Layer 5: images as the bytes that make a terminal show them.
    .target(
      name: "TerminalGraphics", dependencies: ["ImageModel", "ImageCodecs", "TextEncodings"],
      swiftSettings: strictOnCaller),

    // Layer 5: the HTTP front of both servers: connections, limits, routes, hits, metrics, access
    // log, the pages for operators, draining.
    .target(
      name: "HTTPListening",
      dependencies: [
        "ImageModel", "LoadScheduling", "CachePolicies", "HTTPCaching", "DiskCaching",
        "TextEncodings",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      resources: ["status.css", "status.js"].map { .embedInCode("Status/Page/\($0)") },
      swiftSettings: strict),

    // Layer 6: the caching proxy.
    .target(
      name: "CachingProxy",
      dependencies: [
        "HTTPListening", "ImageModel", "LoadScheduling", "HTTPCaching", "ImageFetching",
        "DiskCaching", "TextEncodings",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      packageAccess: false,
      swiftSettings: strict),

    // Layer 6: the thumbnail server.
    .target(
      name: "ThumbnailServer",
      dependencies: [
        "HTTPListening", "ImageModel", "LoadScheduling", "ImageCodecs", "CachePolicies",
        "HTTPCaching", "DiskCaching", "ImagePipeline", "ImageFeeds", "TextEncodings",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      resources: readerFiles.map { .embedInCode("Reader/Page/\($0)") },
      packageAccess: false,
      swiftSettings: strict),

    // Layer 7: the pipeline and both servers as services.
    .target(
      name: "ImagePipelineServices",
      dependencies: [
        "CachingProxy", "DiskCaching", "ImagePipeline", "ThumbnailServer",
        serviceLifecycle("ServiceLifecycle"),
      ],
      packageAccess: false,
      swiftSettings: strict),

    // Layer 7: the command line.
    .executableTarget(
      name: "imgcache",
      dependencies: [
        "ImageModel", "LoadScheduling", "ImageCodecs", "CachePolicies", "HTTPCaching",
        "ImageFetching", "DiskCaching", "ImagePipeline", "ImageFeeds", "CacheSimulation",
        "CachingProxy", "HTTPListening", "RedisClustering", "SampleFeed", "SharedCaching",
        "TerminalGraphics", "TextEncodings", "ThumbnailServer", "Typesetting", "CPlatform", "CYAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      packageAccess: false,
      swiftSettings: strict),

    // What the campaigns against the disk cache and stores run and kill; see Benchmarks/campaigns.
    .executableTarget(
      name: "CacheCampaign",
      dependencies: [
        "ImageModel", "DiskCaching", "HTTPCaching", "ImageFetching", "RedisClustering",
        "SharedCaching", "TextEncodings",
      ],
      path: "Benchmarks/campaigns/CacheCampaign", swiftSettings: existentials),

    // What several test targets use. A test target itself: it is built with the tests alone, and
    // they see its internal declarations as it sees those of the libraries.
    .testTarget(
      name: "TestSupport",
      dependencies: [
        "CachePolicies", "DiskCaching", "HTTPCaching", "ImageCodecs", "ImageFeeds",
        "ImageFetching", "ImageModel", "ImagePipeline", "LoadScheduling", "RedisClustering",
        "SampleFeed", "SharedCaching", "Typesetting",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: existentials),
    .testTarget(
      name: "CodecTests",
      dependencies: [
        "TestSupport", "CImageCodecs", "CLoadedLibraries", "ImageCodecs", "ImageModel",
        "TerminalGraphics", "Typesetting",
      ],
      swiftSettings: existentials),
    .testTarget(
      name: "CachingTests",
      dependencies: [
        "TestSupport", "CacheCampaign", "CachePolicies", "CacheSimulation", "DiskCaching",
        "HTTPCaching", "ImageCodecs", "ImageFetching", "ImageModel", "ImagePipeline",
        "LoadScheduling", "RedisClustering", "SharedCaching",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: existentials),
    .testTarget(
      name: "ImagePipelineTests",
      dependencies: stages.map { .target(name: $0) } + [
        "TestSupport", "CacheSimulation", "ImageFeeds", "ImagePipeline", "RedisClustering",
        "SampleFeed", "SharedCaching", "TextEncodings",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: existentials),
    .testTarget(
      name: "ServerTests",
      dependencies: stages.map { .target(name: $0) } + [
        "TestSupport", "CachingProxy", "HTTPListening", "ImageFeeds", "ImagePipeline",
        "ImagePipelineServices", "RedisClustering", "SampleFeed", "SharedCaching", "TextEncodings",
        "ThumbnailServer",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        serviceLifecycle("ServiceLifecycleTestKit"),
      ],
      swiftSettings: existentials),
    .testTarget(
      name: "ProgramTests",
      dependencies: stages.map { .target(name: $0) } + [
        "TestSupport", "CacheSimulation", "HTTPListening", "ImageFeeds", "ImagePipeline",
        "RedisClustering", "SampleFeed", "SharedCaching", "TerminalGraphics", "TextEncodings",
        "ThumbnailServer", "Typesetting", "imgcache",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
      ],
      swiftSettings: existentials),
  ],
  swiftLanguageModes: [.v6]
)

// The readers that `Fuzz/run` fuzzes are sources of the tests, which run them on the seeds; the
// program of them needs the runtime of libFuzzer.
if Context.environment["IMGCACHE_FUZZING"] != nil {
  package.targets.removeAll { $0.type == .test }
  package.targets += [
    .target(name: "CFuzzDriver", path: "Fuzz/driver"),
    .executableTarget(
      name: "fuzz-swift",
      dependencies: [
        "CFuzzDriver", "CacheSimulation", "HTTPCaching", "ImageCodecs", "ImageFeeds", "ImageModel",
        "RedisClustering", "SharedCaching", "TextEncodings",
      ],
      path: "Tests/ProgramTests/Fuzzing/Targets", swiftSettings: existentials),
  ]
}

// The programs of Examples (`IMGCACHE_EXAMPLES`: `1` with the trait `ServiceLifecycle`, or `library`
// without the one on Hummingbird) and the limits of Benchmarks (`IMGCACHE_LIMITS`), packages of
// their own, beside what is built here already: `.ci/run` builds them so, because those packages
// would build all dependencies again.
let library: [Target.Dependency] = stages.map { .target(name: $0) } + ["ImagePipeline"]
if let examples = Context.environment["IMGCACHE_EXAMPLES"] {
  var dependencies: [String: [Target.Dependency]] = [
    "LoadTracing": [.product(name: "Tracing", package: "swift-distributed-tracing")]
  ]
  if examples == "1" {
    package.dependencies.append(
      .package(
        url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []))
    dependencies["ThumbnailService"] = [
      "ImagePipelineServices", "ThumbnailServer",
      .product(name: "Hummingbird", package: "hummingbird"),
    ]
  }
  let names =
    ["TerminalImage", "PrefetchJob", "CustomCodec", "HitRateStudy"] + dependencies.keys.sorted()
  package.targets += names.map { name in
    .executableTarget(
      name: name, dependencies: library + (dependencies[name] ?? []),
      path: "Examples/\(name)", packageAccess: false)
  }
}
if Context.environment["IMGCACHE_LIMITS"] != nil {
  package.targets += [
    .target(
      name: "CPeers", path: "Benchmarks/CPeers",
      linkerSettings: ["jpeg", "png", "gif", "webp", "lcms2"].map { .linkedLibrary($0) }),
    .target(
      name: "Comparisons", dependencies: library + ["CPeers"], path: "Benchmarks/Comparisons"),
    .executableTarget(
      name: "Limits", dependencies: ["Comparisons"], path: "Benchmarks/Tools/Limits"),
  ]
}
