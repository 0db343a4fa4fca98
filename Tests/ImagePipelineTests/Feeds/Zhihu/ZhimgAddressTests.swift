import ImageFeeds
import ImageFetching
import Testing

@Suite struct `Addresses at zhimg` {
  private let hash = "7bc8ef5947b069513c51e4b9521b5c82"

  @Test func `scheme, host and source do not matter to the key, and other URLs stay`() {
    let rule = HostRules.zhimgCacheURL
    for url in [
      "http://pic3.zhimg.com/v2-\(hash).jpg",
      "https://picx.zhimg.com/v2-\(hash).jpg?source=8673f162",
    ] {
      #expect(rule(url) == "https://zhimg.com/v2-\(hash).jpg")
    }
    #expect(rule("http://p4.zhimg.com/7b/c8/\(hash).jpg") == "https://zhimg.com/\(hash).jpg")
    for url in [
      "http://example.org/v2-\(hash).jpg", "https://zhimg.com/v2-\(hash).jpg",
      "https://pic1.zhimg.com/da8e974dc_is.jpg",
      "pic1.zhimg.com", "",
    ] {
      #expect(rule(url) == url)
    }
  }

  @Test func `size suffix, variant and extension matter to the key`() {
    let keys = ["/70/\(hash)_b.jpg", "/\(hash)_b.jpg", "/\(hash)_b.png", "/v2-\(hash)_b.png"].map {
      HostRules.zhimgCacheURL("https://pic1.zhimg.com" + $0)
    }

    #expect(Set(keys).count == 4)
    #expect(keys[0] == "https://zhimg.com/70/\(hash)_b.jpg")
  }
}
