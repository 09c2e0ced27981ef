-- The changes of pushed documents after a revision, oldest first.
-- KEYS: hash of documents, sorted set of changes, state. ARGV: revision, how many at most, version that is served.
-- Returns: revision, revision of the last deletion of all, revision that the version is known to contain, number of
-- erasures, then id, revision and JSON of each change; the JSON is false if the document was deleted.
local documents, changes, state = KEYS[1], KEYS[2], KEYS[3]
local found = redis.call('HMGET', state, 'revision', 'cleared', 'contained:' .. ARGV[3], 'erasures')
local answer = {tonumber(found[1]) or 0, tonumber(found[2]) or 0, tonumber(found[3]) or 0, tonumber(found[4]) or 0}
local listed = redis.call('ZRANGEBYSCORE', changes, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for i = 1, #listed, 2 do
  answer[#answer + 1] = listed[i]
  answer[#answer + 1] = tonumber(listed[i + 1])
  answer[#answer + 1] = redis.call('HGET', documents, listed[i])
end
return answer
