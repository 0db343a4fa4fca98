import ArgumentParser
import ImageModel
import Testing

@testable import imgcache

@Suite struct `The file of a thumbnail` {
  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch let error as ValidationError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  private static let files: [(path: String, asked: ImageFormat?, format: ImageFormat?)] = [
    ("a.jpg", nil, .jpeg), ("a.JPEG", nil, .jpeg), ("a.PNG", .png, .png), ("a.gif", nil, .gif),
    ("a.b.webp", nil, .webp), ("a.avif", nil, .avif), ("dir.png/a", nil, nil), ("a", .gif, .gif),
    ("-", .webp, .webp),
    (".jpg", nil, nil), ("dir/.png", .gif, .gif), ("a.", .png, .png), ("-", nil, nil),
  ]

  @Test(arguments: files)
  func `has the format of its extension, else the one asked for`(
    path: String, asked: ImageFormat?, format: ImageFormat?
  ) throws {
    #expect(try ImageOutput.format(of: path, asked: asked) == format)
  }

  @Test(arguments: ["a.txt", "a.heic", "a.jxl", "a.jpg.bak", "a.tiff"])
  func `with an extension that is not written is refused with those that are`(path: String) {
    let message = message { _ = try ImageOutput.format(of: path, asked: nil) }

    #expect(message.contains("\"\(path)\""))
    for name in [".jpg", ".jpeg", ".png", ".gif", ".webp"] {
      #expect(message.contains(name), "\(message)")
    }
    let other = self.message { _ = try ImageOutput.format(of: "a.png", asked: .jpeg) }
    #expect(other.contains("--format jpeg contradicts the extension of \"a.png\""))
    #expect(self.message { try ImageOutput.check("-", isJSON: true) }.contains("name a file"))
    #expect(self.message { try ImageOutput.check("a.png", isJSON: true) } == "")
  }
}

@Suite struct `The name of an image` {
  @Test(arguments: [
    ("http://a/b", true), ("HTTPS://a", true), ("s3://bucket/key", true), ("S3://b/k", true),
    ("http:/a", false), ("ftp://a/b", false), ("file.jpg", false), ("./http://a", false),
    ("", false), ("https:", false), (" http://a", false),
  ])
  func `is a URL by its scheme, in either case, else a file`(text: String, isURL: Bool) {
    #expect(ImageSource.isURL(text) == isURL)
  }

  @Test(arguments: ["a.jpg", "http://", "ftp://x/y", "http://a b/", "", "s3://"])
  func `that cannot be fetched is refused`(text: String) throws {
    #expect(throws: ValidationError.self) { try ImageSource.checkURL(text) }
    for other in ["http://a/b.jpg", "https://a:8443/知乎.png", "s3://bucket/k/e/y.png"] {
      try ImageSource.checkURL(other)
    }
  }

  @Test func `without a scheme gets the hint that one is missing`() {
    let bare = #expect(throws: ValidationError.self) { try ImageSource.checkURL("a/b.jpg") }
    let other = #expect(throws: ValidationError.self) { try ImageSource.checkURL("ftp://a") }

    #expect(bare?.message.contains("a URL begins with http://, https:// or s3://") == true)
    #expect(other?.message.contains("a URL begins with") == false)
  }

  @Test func `of a URL without a cache is not cached, and of a file is its content`() async throws {
    let error = await #expect(throws: ImageError.self) {
      _ = try await ImageSource.read("http://a.invalid/b", from: nil)
    }

    #expect(error?.code == .notCached)
    #expect(error?.message.contains("imgcache get") == true)
  }
}
