// A module of headers only still needs one object to be a static library.
