"""What a fetch worker remembers of tasks that other workers, or its former self, took."""
