import ArgumentParser
import ImagePipeline
import TextEncodings

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Prints the options in force and where each comes from.",
    usage: "imgcache config [<options>] [<command> [<options>]]",
    discussion: .examples(
      """
      imgcache config
      imgcache config serve --memory 1GiB

      The source of a value is the command line, a variable, a line of the configuration file, or the default. Every \
      long option can be set as IMGCACHE_LONG_NAME and as a key of the file: in a section named after a command for \
      that one, at the top for every command that has an option of that name. The file is that of --config, else of \
      IMGCACHE_CONFIG, else $XDG_CONFIG_HOME/imgcache/config.yaml (or ~/.config/imgcache/config.yaml), if it exists.
      """))

  @Argument(
    parsing: .allUnrecognized,
    help: .value("command", "A command, and its options (default: all commands)."),
    completion: .list(ImgCache.commandNames()))
  var words: [String] = []

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func run() throws {
    // The common options are in force as well, and they are not among the words.
    let given = Array(CommandLine.arguments.dropFirst(2))
    let environment = Environment.variables
    let command = words.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    let settings = try Settings(describedBy: ImgCache._dumpHelp())
    let rows = try SettingsReport(
      settings: settings, given: given, environment: environment, parser: ImgCache.refusal
    ).rows(command: command).map { resolved($0, environment) }
    // What the command needs may be missing here.
    if command != nil, let refusal = ImgCache.refusal(of: words),
      refusal.contains(#/^(Missing value|Unexpected argument|\d+ unexpected arguments) /#)
    {
      throw ImageError.misuse(refusal)
    }
    let file = Settings.fileName(for: given, environment: environment)
    for note in settings.unknownVariables(in: environment) { common.report.note(note) }
    if common.json {
      common.report.object(
        .option,
        JSONLine(
          members: [("option", "config"), ("value", file?.path ?? JSONNull() as any JSONValue)]
            + (file?.source ?? .byDefault).members))
      rows.forEach { common.report.object(.option, $0.json) }
      return
    }
    var lines = [["config", file?.path ?? "-", "\(file?.source ?? .byDefault)"]]
    for row in rows {
      lines += row.names.map { [$0, row.text, row.source.description] }
    }
    let widths = (0..<2).map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = (0..<2).map { column in
        line[column]
          + String(repeating: " ", count: min(40, widths[column]) - min(40, line[column].count))
      }
      common.report.line((cells + [line[2]]).joined(separator: "  ").escapingControls())
    }
  }

  private func resolved(
    _ row: SettingsReport.Row, _ environment: [String: String]
  ) -> SettingsReport.Row {
    guard row.name == "cache-dir", row.source == .byDefault else { return row }
    let names = ["IMGCACHE_DIR", "XDG_CACHE_HOME"]
    let variable = names.first { !(environment[$0] ?? "").isEmpty }
    var row = row
    row.values = [common.cacheDirectory]
    row.source = variable.map { .variable($0) } ?? .byDefault
    row.isDescription = false
    return row
  }
}
