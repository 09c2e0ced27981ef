"""Webhooks: what they are told, and how notices reach them. Entry point: `delivery.Deliverer`."""
