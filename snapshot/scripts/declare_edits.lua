-- Replace what the corpora file says about a corpus, if it says something else now; returns the revision.
-- KEYS: revision, edits of the file. ARGV: edits as JSON, channel, announcement.
if redis.call('GET', KEYS[2]) == ARGV[1] then
  return tonumber(redis.call('GET', KEYS[1]) or '0')
end
redis.call('SET', KEYS[2], ARGV[1])
local new = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return new
