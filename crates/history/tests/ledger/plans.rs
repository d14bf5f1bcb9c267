//! Plans for resources: what wishes become, and which are refused.
