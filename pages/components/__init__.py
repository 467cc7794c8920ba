"""What the pages are made of: the only imported code that knows Streamlit."""
