"""MinerU's cloud and servers."""
