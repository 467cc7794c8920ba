"""Random schedules of use and faults on real stores, checked against a plain model of what must be there."""
