# Placeholder until the package config is written.
