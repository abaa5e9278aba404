# Measured by wallfinder fit experiments/camel-fit.yaml (run-java-1-generous, 2026-11-22, Java 25.0.3)
classes=10031
threads=47
live-mb=41
