#ifndef DRIVER_H
#define DRIVER_H

/// What SwiftPM takes for the program's entry: it hands on to libFuzzer.
int fuzz_swift_main(int argc, char *_Nonnull *_Nonnull argv);

#endif
