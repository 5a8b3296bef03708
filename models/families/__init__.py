"""The networks: one file a family, each with a builder that `models.catalogue.registry` names."""
