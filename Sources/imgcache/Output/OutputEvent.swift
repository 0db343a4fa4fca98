/// The first member of each object of `--json`: what the object is about. The page `JSONOutput` and
/// `Distribution/imgcache-output.schema.json` describe them.
enum OutputEvent: String, CaseIterable, Sendable {
  case check, damaged, day, decode, entry, error, evicted, explain, gc, get, image, info, listening
  case option, path, refresh, result, sheet, sign, stats, story, summary, thumb, tier, version
}
