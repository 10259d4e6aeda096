"""The service: jobs, schedules and collections for people who share one webkeep; its parts are its sub-rooms."""
