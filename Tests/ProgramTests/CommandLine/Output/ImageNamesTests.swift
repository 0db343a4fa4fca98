import Testing

@testable import imgcache

@Suite struct `Names of thumbnails` {
  /// The names of all inputs, settled in the order given.
  private func names(
    _ inputs: [(source: String, fileExtension: String?)], settledAs order: [Int]
  ) -> [String?] {
    var names = ImageNames(stems: inputs.map { ImageInput.stem(of: $0.source) })
    var found = [String?](repeating: nil, count: inputs.count)
    var settled: [Int] = []
    for index in order {
      for decision in names.settle(index, extension: inputs[index].fileExtension) {
        found[decision.index] = decision.name
        settled.append(decision.index)
      }
    }
    #expect(settled.sorted() == Array(inputs.indices), "each is decided once")
    return found
  }

  @Test(arguments: [
    ("a.jpg", "a"), ("photos/a.JPEG", "a"), ("./a b.png", "a b"), ("a.tar.gz", "a.tar.gz"),
    ("v1.2024", "v1.2024"), ("照片 一.webp", "照片 一"), ("50%.jpg", "50%"), ("%41.jpg", "%41"),
    (".jpg", ".jpg"), ("dir/", "dir"), ("..", "image"), ("/", "image"), ("-", "stdin"),
    ("https://h/a.jpg", "a"), ("https://h/p/a%20b.png?w=1#f", "a b"), ("http://h/a/b/", "b"),
    ("http://h:81/", "h:81"), ("http://h?x=/y.jpg", "h"), ("s3://bucket/k/e/y.gif", "y"),
    ("https://h/%E7%85%A7.jpg", "照"), ("https://h/%FF.jpg", "%FF"), ("https://h/%zz", "%zz"),
    ("https://h/..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd"), ("https://h/%2e%2e", "image"),
    ("https://h/.hidden.png", "hidden"), ("https://h/a%00b", "a%00b"),
    ("https://h/a%1B%5B2J.jpg", "a%1B%5B2J"), ("https://h/a%0Ab%5Cc", "a_b_c"),
  ])
  func `a name follows from its input and is safe as a file's`(source: String, stem: String) {
    #expect(ImageInput.stem(of: source) == stem)
  }

  @Test func `a long name is cut between characters, with room for a number and an extension`() {
    let stem = ImageInput.stem(of: "https://h/" + String(repeating: "照", count: 200))

    #expect(stem.utf8.count <= 236 && stem.utf8.count > 230)
    #expect(stem.allSatisfy { $0 == "照" })
  }

  @Test(arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]])
  func `numbers follow the order of the inputs, whichever is made first`(order: [Int]) {
    let inputs: [(String, String?)] = [
      ("a.jpg", "jpg"), ("x/a.jpg", "jpg"), ("b.png", "png"), ("y/a.png", "png"),
      ("z/a.gif", "jpg"),
    ]

    #expect(
      names(inputs, settledAs: order) == ["a.jpg", "a-2.jpg", "b.png", "a.png", "a-3.jpg"])
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0]])
  func `an input that fails takes no name`(order: [Int]) {
    let inputs: [(String, String?)] = [("x/a.jpg", nil), ("a.jpg", "jpg"), ("y/a.jpg", "jpg")]

    #expect(names(inputs, settledAs: order) == [nil, "a.jpg", "a-2.jpg"])
  }

  @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0]])
  func `a number does not take the name of another input, nor one that differs in case`(
    order: [Int]
  ) {
    let inputs: [(String, String?)] = [
      ("a.jpg", "jpg"), ("x/A.jpg", "jpg"), ("a-2.jpg", "jpg"), ("y/a-2.jpg", "jpg"),
    ]

    #expect(names(inputs, settledAs: order) == ["a.jpg", "A-3.jpg", "a-2.jpg", "a-2-2.jpg"])
  }
}
