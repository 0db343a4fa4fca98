import ArgumentParser
import ImagePipeline

/// How closely what comes from the network is looked at; `serve` always decodes.
struct CheckOptions: ParsableArguments {
  @Option(help: "How much of an image must hold before it is stored: decode, structure or none.")
  var check: ImageCheck = .decode
}
