"""Speed: a generator of real-shaped logs, the floor that no reader can beat, and both run side by side."""
