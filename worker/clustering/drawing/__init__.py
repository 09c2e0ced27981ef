"""Where concepts and documents lie on the map, and the pictures of the matrix."""
