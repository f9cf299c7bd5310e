"""What people and programs see: commands, words, screens. Everything below speaks in codes and numbers."""
