"""What holds for every request: keys, rates, CORS, the audit log, the request log. Entry point: `policy.Policy`."""
