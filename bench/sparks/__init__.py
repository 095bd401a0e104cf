"""The parts of `bench/spark`: what is crawled, who crawls it, and the table."""
