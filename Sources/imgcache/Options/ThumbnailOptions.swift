import ArgumentParser
import ImagePipeline

/// What a thumbnail is to be, as `thumb` takes it.
struct ThumbnailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The box in pixels; one side may be 0: free.", valueName: "WxH"))
  var size: ThumbnailSize

  @Option(help: "How the picture fits: cover, contain, fill or inside (default: cover).")
  var fit: FitMode?

  @Option(help: "The format: auto (JPEG, or PNG where the image has alpha), jpeg, png or gif.")
  var format = ThumbnailRecipe.Format.auto

  @Option(help: "The quality of a JPEG, 1 to 100.") var quality = 80

  @Option(help: "Which frame of an animation, from 0.") var frame = 0

  @Flag(help: "Enlarge a small picture to the box.") var enlarge = false

  @Option(help: ArgumentHelp("What lies under and beside the picture.", valueName: "RRGGBB"))
  var background: PixelColor?

  @Option(
    help: ArgumentHelp("The point that cropping keeps, in shares of the sides.", valueName: "X,Y"))
  var focus: FocalPoint?

  @Option(help: "The embedded profile: drop, keep or convert (to sRGB).")
  var profile = ProfileTreatment.drop

  func validate() throws {
    guard (1...100).contains(quality) else {
      throw ValidationError("--quality is between 1 and 100")
    }
    guard frame >= 0 else { throw ValidationError("--frame counts from 0") }
  }

  /// The recipe that these options describe.
  var recipe: ThumbnailRecipe {
    var recipe = ThumbnailRecipe(size: size.size, fit: fit ?? size.fit)
    recipe.format = format
    recipe.quality = quality
    recipe.frame = frame
    recipe.enlarges = enlarge
    recipe.background = background
    recipe.focus = focus ?? .center
    recipe.profile = profile
    return recipe
  }
}

extension ThumbnailRecipe.Format: ExpressibleByArgument {}
extension ProfileTreatment: ExpressibleByArgument {}

extension PixelColor: ExpressibleByArgument {
  /// Reads `RRGGBB`.
  public init?(argument: String) { self.init(hex: argument) }
}

extension FocalPoint: ExpressibleByArgument {
  /// Reads `X,Y`, each from 0 to 1.
  public init?(argument: String) { self.init(text: argument) }
}
