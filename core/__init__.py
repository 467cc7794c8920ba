"""GraphTalk without its pages: everything the app, the command line and the tests stand on."""
