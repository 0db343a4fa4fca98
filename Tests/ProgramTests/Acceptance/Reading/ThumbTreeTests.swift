import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport
@testable import imgcache

/// `imgcache thumb` with folders, several sizes and templates.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Thumbnails of a tree` {
  private let scratch: Scratch
  private let jpeg: [UInt8]

  init() throws {
    scratch = try Scratch()
    jpeg = try ImageCodecs.encodeJPEG(SampleImages.quarters(64, 48))
    let png = try ImageCodecs.encodePNG(SampleImages.translucent(40, 40))
    for path in ["blog/a.jpg", "blog/2024/a.jpg", "blog/2024/photo", "blog/.hidden/a.jpg"] {
      try scratch.write(jpeg, to: path)
    }
    try scratch.write(jpeg, to: "blog/.a.jpg")
    try scratch.write(png, to: "blog/2024/05/clear.png")
    try scratch.write(Array("# A blog".utf8), to: "blog/index.md")
    try scratch.write(Array("<svg></svg>".utf8), to: "blog/icon.svg")
  }

  /// Runs `imgcache thumb` with words that spaces separate.
  private func run(_ line: String) async throws -> Tool.Outcome {
    let words = line.split(separator: " ").map(String.init)
    return try await Tool.imgcache.run(["thumb"] + words, in: scratch.path)
  }

  private func files(below folder: String) -> [String] {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: scratch / folder) else {
      return []
    }
    return paths.filter { path in
      !path.hasPrefix(".") && !path.contains("/.") && !isFolder("\(folder)/\(path)")
    }.sorted()
  }

  private func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: scratch / path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  private static let template = "thumbs/{dir}/{name}-{w}x{h}.{ext}"

  @Test func `a template keeps the folders, and each size is a file`() async throws {
    let made = try await run("blog/ --size 32x0 --size 16x16 -o \(Self.template) --json")

    #expect(made.status == 0, "\(made.errors)")
    #expect(
      files(below: "thumbs") == [
        "2024/05/clear-16x16.png", "2024/05/clear-32x32.png", "2024/a-16x16.jpg",
        "2024/a-32x24.jpg", "2024/photo-16x16.jpg", "2024/photo-32x24.jpg", "a-16x16.jpg",
        "a-32x24.jpg",
      ])
    let objects = try made.objects()
    #expect(objects.count == 8 && objects.allSatisfy { $0["status"] as? String == "ok" })
    #expect(objects.contains { $0["input"] as? String == "blog/2024/05/clear.png" })
    #expect(made.errors.contains("left out, in formats that are not decoded: 1 SVG"))
  }

  @Test func `a folder is all images below it, numbered in one folder`() async throws {
    let made = try await run("blog --size 16x16 -o flat/")

    #expect(made.status == 0 && made.errors.contains("4 thumbnails in flat/"), "\(made.errors)")
    #expect(files(below: "flat") == ["a-2.jpg", "a.jpg", "clear.png", "photo.jpg"])
  }

  /// Returns the thumbnails that are made.
  private func update(_ more: [String] = []) async throws -> [String] {
    let arguments =
      ["thumb", "blog", "--size", "32x0", "-o", "thumbs/{dir}/{name}-{w}.{ext}", "--json"]
      + ["--update"] + more
    let outcome = try await Tool.imgcache.run(arguments, in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try outcome.objects().filter { $0["status"] as? String != "unchanged" }
      .compactMap { $0["output"] as? String }.sorted()
  }

  @Test func `the record of --update is written while thumbnails are made`() throws {
    let input = ImageInput(source: scratch / "blog/a.jpg")
    let output = try scratch.write(jpeg, to: "made.jpg")
    let recipe = ThumbnailRecipe(size: PixelSize(width: 32, height: 0))
    func record() -> ThumbRecord {
      ThumbRecord(of: scratch.path + "/", target: "t", writeInterval: .zero)
    }

    record().add(input, ThumbRecord.FileState(input.source), recipe, output: output)

    #expect(record().current(input, recipe) == output)
  }

  @Test func `--update makes what has changed, and nothing else`() async throws {
    let gray = ["--gray"]

    let first = try await update()
    let second = try await update()
    let others = try await update(gray)
    let third = try await update(gray)
    #expect(first.count == 4 && second == [] && others.count == 4 && third == [])
    try scratch.write(jpeg + [0], to: "blog/a.jpg")
    try scratch.write(Array("another program's".utf8), to: "thumbs/2024/a-32.jpg")
    try FileManager.default.removeItem(atPath: scratch / "thumbs/2024/photo-32.jpg")
    try scratch.write(jpeg, to: "blog/new/b.jpg")
    let changed = try await update(gray)
    #expect(
      changed == [
        "thumbs/2024/a-32.jpg", "thumbs/2024/photo-32.jpg", "thumbs/a-32.jpg",
        "thumbs/new/b-32.jpg",
      ])
    // An older file in the place of another one.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
      ofItemAtPath: scratch / "blog/2024/photo")
    let older = try await update(gray)
    #expect(older == ["thumbs/2024/photo-32.jpg"])
    try scratch.write(Array("[{".utf8), to: "thumbs/.imgcache-thumbs.json")
    let all = try await update(gray)
    #expect(all.count == 5, "a damaged record knows nothing")
  }

  @Test func `thumbnails among the images are not images of the next call`() async throws {
    let refused = try await run("blog --size 16x0 -o blog/{dir}/{name}-{w}.{ext}")
    let before = files(below: "blog")
    let made = try await run("blog --size 16x0 -o blog/{dir}/{name}-{w}.{ext} --update")
    let twice = try await run("blog --size 16x0 -o blog/{dir}/{name}-{w}.{ext} --update")
    let inside = try await run("blog --size 16x0 -o blog/thumbs/{dir}/{name}.{ext}")
    let again = try await run("blog --size 16x0 -o blog/thumbs/{dir}/{name}.{ext}")

    #expect(refused.status == 64 && refused.errors.contains("one of the inputs"))
    #expect(before.count == 6 && made.status == 0 && twice.status == 0, "\(made.errors)")
    #expect(inside.status == 0 && again.status == 0)
    #expect(files(below: "blog").filter { !$0.hasPrefix("thumbs/") }.count == before.count + 4)
    #expect(!files(below: "blog/thumbs").contains { $0.hasPrefix("thumbs/") })
  }

  @Test func `two inputs with one name are refused before anything is written`() async throws {
    try scratch.write(jpeg, to: "blog/2024/A.jpeg")
    try scratch.write(jpeg + [1], to: "other/a.jpg")

    let refused = try await run("blog --size 16x0 -o out/{dir}/{name}.{ext}")
    let flat = try await run("blog other --size 16x0 -o out/{name}-{w}.jpg")
    let same = try await run("blog --size 16x0 -o out/{name}-{hash}.{ext}")
    let told = try await run("blog/a.jpg other --size 16x0 -o out/{name}-{hash}.jpg")

    #expect(refused.status == 64, "\(refused.errors)")
    #expect(
      refused.errors.contains(
        "blog/2024/A.jpeg and blog/2024/a.jpg have one name, out/2024/A.{ext}"))
    #expect(flat.status == 64 && same.status == 64)
    #expect(told.status == 0 && files(below: "out").count == 2, "\(told.errors)")
    #expect(files(below: "out").allSatisfy { $0.wholeMatch(of: /a-[0-9a-f]{8}\.jpg/) != nil })
  }

  @Test func `sizes that a small image does not have are one file, and others a failure`()
    async throws
  {
    let same = try await run("blog/a.jpg --size 100x0 --size 200x0 -o s/{name}-{w}.{ext}")
    let other = try await run("blog/a.jpg --size 32x0 --size 32x10 -o o/{name}-{w}.{ext}")

    #expect(same.status == 0 && files(below: "s") == ["a-64.jpg"], "\(same.errors)")
    #expect(other.status == 64 || other.status == 1)
    #expect(other.errors.contains("o/a-32.jpg is a thumbnail of blog/a.jpg already"))
    #expect(files(below: "o") == ["a-32.jpg"])
  }

  @Test(arguments: [
    (
      ["blog", "--size", "9x9", "-o", "x/{nme}.jpg"], "\"{nme}\" in \"x/{nme}.jpg\" is not a field"
    ),
    (["blog", "--size", "9x9", "-o", "x/{name"], "has no closing brace"),
    (["blog", "--size", "9x9", "-o", "x/{name}/"], "ends with a slash"),
    (["blog", "--size", "9x9", "-o", "x/{name}.txt"], "Unsupported extension \".txt\""),
    (
      ["blog", "--size", "9x9", "--size", "8x8", "-o", "x/{name}.jpg"],
      "Several sizes need {w} or {h}"
    ),
    (["blog", "--size", "9x9", "--size", "8x8", "-o", "x/"], "-o 'x/{name}-{w}.{ext}'"),
    (
      ["blog/a.jpg", "--size", "9x9", "--size", "8x8", "-o", "x.jpg"],
      "Several sizes need a template"
    ),
    (["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--update"], "--update needs a folder"),
    (
      ["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--crop", "0,0,0,1"], "a part inside the image"
    ),
    (
      ["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--crop", "0,0,65,1"],
      "not inside the image of 64x48"
    ),
    (["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--rotate", "45"], "90"),
    (["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--blur", "101"], "from 0.3 to 100"),
    (["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--watermark", "no.png"], "no.png"),
    (["blog/a.jpg", "--size", "9x9", "-o", "x.jpg", "--watermark", "blog/a.jpg,north,9"], "scale"),
  ])
  func `what cannot be meant is refused`(arguments: [String], message: String) async throws {
    let outcome = try await Tool.imgcache.run(["thumb"] + arguments, in: scratch.path)

    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(files(below: "x") == [] && !isFolder("x"))
  }

  @Test func `a folder needs a folder to write to, and one that cannot be read is said`()
    async throws
  {
    let single = try await run("blog --size 9x9 -o x.jpg")
    let empty = scratch / "empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    let nothing = try await run("empty --size 9x9 -o none/")

    #expect(single.status == 64 && single.errors.contains("blog is a folder"), "\(single.errors)")
    #expect(nothing.status == 0 && nothing.errors.contains("0 thumbnails"), "\(nothing.errors)")
  }

  @Test func `operations and a watermark reach the file`() async throws {
    try scratch.write(
      try ImageCodecs.encodePNG(SampleImages.flat(8, 8, [255, 0, 0, 255])), to: "mark,1.png")

    let one = try await run(
      "blog/a.jpg --size 24x0 --crop 32,0,32,24 --rotate 90 --gray --watermark mark,1.png,southeast,0.5,1 --radius 4 -o o-{w}x{h}.{ext}"
    )

    #expect(one.status == 0, "\(one.errors)")
    let bytes = try scratch.bytes(of: "o-24x32.png")
    let pixels = try ImageCodecs.decode(bytes.span.bytes)
    #expect(pixels[0, 0][3] == 0 && pixels[12, 4][3] == 255)
    #expect(pixels[12, 4][0] == pixels[12, 4][1])
    #expect(Array(pixels[17, 24].prefix(3)) == [255, 0, 0])
  }

  @Test func `what is read is not replaced, whatever its name is`() async throws {
    try scratch.write(jpeg, to: "a.jpg")
    try FileManager.default.createSymbolicLink(
      atPath: scratch / "link.jpg", withDestinationPath: scratch / "a.jpg")
    try scratch.write(Array("1,a,10\n2,b,20\n".utf8), to: "t.csv")

    let lines = [
      "a.jpg --size 9x9 -o a.jpg", "a.jpg --size 9x9 -o ./blog/../a.jpg",
      "a.jpg --size 9x9 -o link.jpg", "blog/a.jpg --size 9x9 --watermark a.jpg -o a.jpg",
    ]
    for line in lines {
      let outcome = try await run(line)
      #expect(outcome.status == 64 && outcome.errors.contains("not written"), "\(line)")
    }
    let folder = try await run("blog/a.jpg --size 9x9 --watermark a.jpg -o ./")
    let trace = try await Tool.imgcache.run(
      ["simulate", "t.csv", "-o", "t.csv"], in: scratch.path)

    #expect(folder.status == 1 && folder.errors.contains("one of the inputs"), "\(folder.errors)")
    #expect(try scratch.bytes(of: "a.jpg") == jpeg)
    #expect(trace.status == 64)
    #expect(try scratch.bytes(of: "t.csv") == Array("1,a,10\n2,b,20\n".utf8))
  }

  @Test func `--update knows links, other records, and the names that are taken`() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch / "blog/link.jpg", withDestinationPath: "a.jpg")
    let linked = try await update()
    try FileManager.default.removeItem(atPath: scratch / "thumbs/a-32.jpg")
    let again = try await update()

    #expect(linked.count == 5 && linked.contains("thumbs/link-32.jpg"))
    #expect(again == ["thumbs/a-32.jpg"])
    let one = "blog --size 20x0 -o blog/t/{name}-{w}.{ext} --update"
    let two = "blog --size 21x0 -o blog/u/{dir}/{name}-{w}.{ext} --update"
    try FileManager.default.removeItem(atPath: scratch / "blog/2024/a.jpg")
    _ = try await run(one)
    _ = try await run(two)
    let third = try await run(one)
    #expect(third.errors.contains("0 thumbnails"), "\(third.errors)")

    try scratch.write(jpeg, to: "c/a.jpg")
    try scratch.write(jpeg + [0], to: "c/a1.jpg")
    let line = "c --size 10x0 --size 110x0 --enlarge -o co/{name}{w}.{ext} --update"
    let first = try await run(line)
    let before = try scratch.bytes(of: "co/a110.jpg")
    let second = try await run(line)
    #expect(first.status == 64 || first.status == 1)
    #expect(second.status == first.status && second.errors.contains("already"))
    #expect(try scratch.bytes(of: "co/a110.jpg") == before)
  }
}
