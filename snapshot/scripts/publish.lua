-- Make a staged version permanent and, if ARGV[5] is '1', current: all in one step, or nothing.
-- KEYS: pointer to the current version, sorted set of versions, set of corpora, then every part of the new version.
-- ARGV: version, corpus, channel, announcement, serve.
local current, versions, corpora = KEYS[1], KEYS[2], KEYS[3]
local version, corpus, channel, message, serve = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local kind = redis.call('TYPE', versions)['ok']
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', versions) end
local newest = redis.call('ZREVRANGE', versions, 0, 0)[1]
if newest and newest >= version then
  return redis.error_reply('REFUSED version ' .. version .. ' is not newer than ' .. newest)
end
for i = 4, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 0 then
    return redis.error_reply('REFUSED ' .. KEYS[i] .. ' is missing')
  end
end
for i = 4, #KEYS do redis.call('PERSIST', KEYS[i]) end
redis.call('ZADD', versions, 0, version)
redis.call('SADD', corpora, corpus)
if serve == '1' then
  redis.call('SET', current, version)
  redis.call('PUBLISH', channel, message)
end
return version
