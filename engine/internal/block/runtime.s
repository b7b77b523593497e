// Empty: with an assembly file in the package, the compiler accepts the
// declarations of the runtime's functions, which have no body.
