"""Components of the pages: the only imported modules that use Streamlit."""
