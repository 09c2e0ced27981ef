-- The edits of a corpus in one piece: revision, JSON array of the stored edits, edits of the corpora file.
-- KEYS: revision, hash of edits, edits of the file.
local stored = redis.call('HVALS', KEYS[2])
return {redis.call('GET', KEYS[1]), '[' .. table.concat(stored, ',') .. ']', redis.call('GET', KEYS[3])}
