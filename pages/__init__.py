"""The rooms of the app: short scripts that read inputs, call the core and hand values to components."""
