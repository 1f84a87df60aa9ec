"""Logs of requests and responses: exchanges put together to threads, each with the context of its requests."""
