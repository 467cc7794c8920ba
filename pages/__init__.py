"""The pages of the app: short scripts that read inputs, call the core and pass values to components."""
