import Testing

@testable import imgcache

@Suite struct `Completion scripts` {
  @Test func `a value in the word of its option is known to zsh`() {
    let script = CompletionScript.completed(
      """
      #compdef imgcache
          '--fit[The fit.]:fit:(cover inside)'
          '*--api[A base.]:url:'
          '--all[Everything.]'
          {-o,--output}'[The file.]:file:_files'
          {--days,-d}'[Days.]:n:'
      if [[ "${funcstack[1]}" = "_imgcache" ]]; then
      """)

    #expect(script.contains("'--fit=[The fit.]:fit:(cover inside)'"))
    #expect(script.contains("'*--api=[A base.]:url:'"))
    #expect(script.contains("'--all[Everything.]'"))
    #expect(script.contains("{-o,--output=}'[The file.]:file:_files'"))
    #expect(script.contains("{--days=,-d}'[Days.]:n:'"))
    #expect(script.contains("_imgcache_help() {"))
    #expect(script.hasSuffix(#"if [[ "${funcstack[1]}" = "_imgcache" ]]; then"#))
  }

  @Test func `bash gets its words whole, by one registration`() {
    let script = CompletionScript.completed(
      "#!/bin/bash\n_imgcache() {\n}\ncomplete -o filenames -F _imgcache imgcache\n")

    #expect(script.ranges(of: "complete -o filenames").count == 1)
    #expect(script.hasSuffix("complete -o filenames -F _imgcache_whole_words imgcache"))
    #expect(script.hasPrefix("#!/bin/bash\n_imgcache() {\n}\n"))
  }

  @Test func `fish completes the value behind an equals sign, and the topics of help`() {
    let script = CompletionScript.completed(
      "function __imgcache_tokens\n  set -l token (commandline -t)\nend")

    #expect(script.contains("string replace -r -- '^--[^=]*=' ''"))
    #expect(script.contains("\"imgcache help\""))
    #expect(script.contains("prefetch"))
  }

  @Test(arguments: ["", "1.0.0", "usage: imgcache", " #compdef", "#!/bin/sh\n"])
  func `any other text stays`(text: String) {
    #expect(CompletionScript.completed(text) == text)
  }
}
