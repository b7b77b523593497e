// Empty: with an assembly file in the package, the compiler accepts the
// declaration of the runtime's function, which has no body.
