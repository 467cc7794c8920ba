"""Settings, and changes made on the Settings page."""
