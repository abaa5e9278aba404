# Measured by wallfinder fit of the candidate run-java of experiments/camel-fit.yaml (2026-11-23, Java 25.0.3)
classes=10022
threads=49
live-mb=42
loaded-mb=49
